// The last two of seventy live threads check and set a flag without holding its mutex in between: found among threads of the second word.
// bound preemption:1: assertion
#include <assert.h>
#include <pthread.h>

enum { THREADS = 70 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, own[THREADS];
static int taken;

static int locked_read(void)
{
    pthread_mutex_lock(&mutex);
    int value = taken;
    pthread_mutex_unlock(&mutex);
    return value;
}

static void *work(void *number)
{
    long self = (long)number;
    if (self < THREADS - 2) {
        pthread_mutex_lock(&own[self]);
        pthread_mutex_unlock(&own[self]);
    } else if (!locked_read()) {
        pthread_mutex_lock(&mutex);
        assert(taken == 0);
        taken = 1;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_mutex_init(&own[i], NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
