// A thread is detached twice: the second time it may be gone.
// says: detach
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
    pthread_detach(thread);
    return 0;
}
