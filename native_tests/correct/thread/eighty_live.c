// Eighty threads live at once, more than fit one word of a mask; nothing of theirs conflicts.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>

enum { THREADS = 80 };

static pthread_mutex_t mutex[THREADS];

static void *lock_own(void *own)
{
    pthread_mutex_lock(own);
    pthread_mutex_unlock(own);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&mutex[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert(pthread_create(&thread[i], NULL, lock_own, &mutex[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
