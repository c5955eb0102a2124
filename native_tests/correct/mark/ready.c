// A program that says when its set-up is done: what comes before is run once, uncontrolled; the two orders of the threads come after.
// options: --fork-at=ready
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include "../../../bpor/include/bpor.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int set_up, count;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&mutex);
        set_up++;
        pthread_mutex_unlock(&mutex);
    }
    bpor_ready();
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(set_up == 1000 && count == 2);
    return 0;
}
