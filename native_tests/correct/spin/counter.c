// A spin lock is a lock: the traces of a mutex counter, and nobody spins for real.
// needs: pthread_spin_lock pthread_spin_unlock
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 4
// bound none: pass, traces 6
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *add_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        assert(pthread_spin_lock(&lock) == 0);
        counter++;
        assert(pthread_spin_unlock(&lock) == 0);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add_twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 4);
    assert(pthread_spin_destroy(&lock) == 0);
    return 0;
}
