// A normal mutex is locked again by its owner: a deadlock of one thread, in every schedule.
// bound preemption:0: deadlock
// bound none: deadlock, traces 1
#include <pthread.h>

int main(void)
{
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    return 0;
}
