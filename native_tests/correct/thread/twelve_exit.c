// Twelve threads leave by pthread_exit; main joins them. Nobody is the last while main is there, so their ends commute.
// bound none: pass, traces 1
// bound preemption:0: pass, traces 1
// expect: pass
#include <pthread.h>

enum { THREADS = 12 };

static void *leave(void *argument)
{
    pthread_exit(argument);
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, leave, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
