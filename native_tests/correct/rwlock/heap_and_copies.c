// Locks on the heap and on stacks, freed without destroy and made anew by a static initialiser: nothing of the old one remains.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *use(void *unused)
{
    static const pthread_rwlock_t fresh = PTHREAD_RWLOCK_INITIALIZER;
    for (int i = 0; i < 3; i++) {
        pthread_rwlock_t *heap = malloc(sizeof *heap);
        pthread_rwlock_t stack = PTHREAD_RWLOCK_INITIALIZER;
        *heap = fresh;
        assert(pthread_rwlock_rdlock(heap) == 0);
        assert(pthread_rwlock_wrlock(&stack) == 0);
        assert(pthread_rwlock_unlock(&stack) == 0);
        *heap = fresh;
        assert(pthread_rwlock_trywrlock(heap) == 0);
        free(heap);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
