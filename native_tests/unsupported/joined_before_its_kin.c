// Whoever comes first waits for its turn to be over, whoever comes second ends at once. Main lets the first go on as soon as thread 0
// has ended, which only the second can be: with --symmetry the second would always be thread 1, and main would never be seen to go on.
// options: --symmetry=same --bound none
// expect: uncontrolled
// says: T1 and T2 started alike, but their joiner goes on before it has joined both
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int arrived;
static int opened;

static void *arrive(void *unused)
{
    pthread_mutex_lock(&mutex);
    int order = arrived++;
    pthread_mutex_unlock(&mutex);
    if (order == 0) {
        pthread_mutex_lock(&mutex);
        assert(!opened);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, arrive, NULL);
    pthread_join(thread[0], NULL);
    pthread_mutex_lock(&mutex);
    opened = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread[1], NULL);
    return 0;
}
