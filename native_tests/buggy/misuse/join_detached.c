// A detached thread is joined.
// says: join
// bound none: misuse
#include <pthread.h>

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    pthread_join(thread, NULL);
    return 0;
}
