// A worker that has not begun locks a mutex in a block that was freed meanwhile, while it was held: not a deadlock with whoever
// held it.
// says: use after free: lock on a mutex
// bound preemption:0: memory
#include <pthread.h>
#include <stdlib.h>

static void *work(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    pthread_mutex_lock(mutex);
    pthread_create(&thread, NULL, work, mutex);
    free(mutex);
    pthread_join(thread, NULL);
    return 0;
}
