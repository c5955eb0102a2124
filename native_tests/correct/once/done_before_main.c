// Done before main: no schedule can change that, so the calls are no steps.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs;

static void initialise(void)
{
    runs++;
}

__attribute__((constructor)) static void early(void)
{
    pthread_once(&once, initialise);
}

static void *use(void *unused)
{
    for (int i = 0; i < 100; i++)
        pthread_once(&once, initialise);
    assert(runs == 1);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
