// _Thread_local variables start afresh in each thread, and pthread_self and pthread_equal tell threads apart.
// bound none: pass, traces 6
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 4
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int local = 5;
static pthread_t main_thread;
static int total;

static void *count(void *unused)
{
    assert(local == 5);
    assert(!pthread_equal(pthread_self(), main_thread));
    for (int i = 0; i < 2; i++) {
        local++;
        pthread_mutex_lock(&mutex);
        total += local;
        pthread_mutex_unlock(&mutex);
    }
    assert(local == 7);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    main_thread = pthread_self();
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(local == 5 && total == 2 * (6 + 7));
    assert(pthread_equal(pthread_self(), main_thread));
    return 0;
}
