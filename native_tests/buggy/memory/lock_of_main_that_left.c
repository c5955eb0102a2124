// main leaves by pthread_exit while a worker still has to use a lock in its frame: the frames of what ends main come in its place.
// says: use of a stack that is gone: lock on a mutex on the stack of T0, which has ended
// bound preemption:0: memory
#include <pthread.h>

static void *work(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

int main(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    pthread_create(&thread, NULL, work, &mutex);
    pthread_detach(thread);
    pthread_exit(NULL);
}
