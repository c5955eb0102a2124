// A worker joins the main thread, which left with pthread_exit and a value.
// bound none: pass, traces 1
#include <pthread.h>
#include <stdlib.h>

static pthread_t main_thread;

static void *join_main(void *unused)
{
    void *value = NULL;
    if (pthread_join(main_thread, &value) != 0 || value != (void *)7)
        _Exit(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    main_thread = pthread_self();
    pthread_create(&thread, NULL, join_main, NULL);
    pthread_exit((void *)7);
}
