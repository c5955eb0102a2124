// The first routine ends its thread by pthread_exit: it does not count, the next caller runs the routine.
// bound none: pass, traces 2
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs;

static void initialise(void)
{
    if (runs++ == 0)
        pthread_exit(NULL);
}

static void *use(void *unused)
{
    pthread_once(&once, initialise);
    assert(runs == 2);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(runs == 2);
    return 0;
}
