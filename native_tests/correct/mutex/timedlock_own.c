// A normal mutex that its owner tries to lock again with a deadline: nobody can release it, so the time runs out.
// bound none: pass, traces 1
// options: --timeouts=explore
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    struct timespec past = {0, 0}, future;
    clock_gettime(CLOCK_REALTIME, &future);
    future.tv_sec += 1;
    pthread_mutex_lock(&mutex);
    assert(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
    assert(pthread_mutex_timedlock(&mutex, &future) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    return 0;
}
