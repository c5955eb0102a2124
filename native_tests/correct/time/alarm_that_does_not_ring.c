// A test limits itself by an alarm: it is over, and takes the alarm back, before that would ring in virtual time.
// says: an alarm that is set does not ring
// bound none: pass, traces 2
// expect: pass
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    assert(alarm(10) == 0);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(alarm(0) == 10);
    return 0;
}
