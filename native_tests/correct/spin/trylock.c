// A try of a spin lock: before, inside (EBUSY) or after another's critical section.
// needs: pthread_spin_trylock pthread_spin_lock
// bound none: pass, traces 3
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;

static void *hold(void *unused)
{
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    return unused;
}

static void *try_once(void *unused)
{
    int result = pthread_spin_trylock(&lock);
    assert(result == 0 || result == EBUSY);
    if (result == 0)
        pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread[0], NULL, hold, NULL);
    pthread_create(&thread[1], NULL, try_once, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
