// Mutexes in freshly allocated memory, one per thread: addresses may swap with the order of the mallocs, canonical names do not,
// so this is one trace. A mutex that is freed and allocated again is a new object.
// bound none: pass, traces 1
// bound preemption:2: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *allocate_and_use(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t *mutex = malloc(sizeof *mutex);
        assert(pthread_mutex_init(mutex, NULL) == 0);
        assert(pthread_mutex_lock(mutex) == 0);
        assert(pthread_mutex_unlock(mutex) == 0);
        assert(pthread_mutex_destroy(mutex) == 0);
        free(mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, allocate_and_use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
