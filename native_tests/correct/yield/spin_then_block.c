// A waiter that looks twenty times, with a yield after each, and then blocks. A fair bound that lets it look so often keeps nobody
// waiting; a smaller one would hide what it does after its last look, and says so.
// expect: pass, traces 22
// bound fair:2: inconclusive
// bound fair:32: pass, traces 22
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int flag;

static int is_set(void)
{
    pthread_mutex_lock(&mutex);
    int set = flag;
    pthread_mutex_unlock(&mutex);
    return set;
}

static void *waiter(void *unused)
{
    for (int round = 0; round < 20; round++) {
        if (is_set())
            return unused;
        sched_yield();
    }
    pthread_mutex_lock(&mutex);
    while (!flag)
        pthread_cond_wait(&ready, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}
