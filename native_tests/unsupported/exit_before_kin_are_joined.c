// Whoever comes first ends the process. Main would do something wrong after its first join, which nobody sees while the first is always
// the thread that main joins first: the process ends before.
// options: --symmetry=same --bound none
// expect: uncontrolled
// says: T1 and T2 started alike, but the process ends while only some of them are joined
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int arrived;

static void *arrive(void *unused)
{
    pthread_mutex_lock(&mutex);
    int order = arrived++;
    pthread_mutex_unlock(&mutex);
    if (order == 0)
        exit(0);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, arrive, NULL);
    pthread_join(thread[0], NULL);
    abort();
}
