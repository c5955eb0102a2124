// A normal mutex is unlocked by a thread that does not own it.
// says: unlock
// bound preemption:0: misuse
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *unlock(void *unused)
{
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, unlock, NULL);
    pthread_join(thread, NULL);
    return 0;
}
