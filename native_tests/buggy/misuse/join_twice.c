// A thread is joined twice: the second time its id means nothing any more.
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
    pthread_join(thread, NULL);
    pthread_join(thread, NULL);
    return 0;
}
