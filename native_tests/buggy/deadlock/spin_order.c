// ABBA with spin locks: natively both threads burn a processor for ever, here it is a deadlock.
// needs: pthread_spin_lock pthread_spin_unlock
// bound preemption:0: pass, traces 2
// bound preemption:1: deadlock, traces 3
#include <pthread.h>

static pthread_spinlock_t a, b;

static void *a_then_b(void *unused)
{
    pthread_spin_lock(&a);
    pthread_spin_lock(&b);
    pthread_spin_unlock(&b);
    pthread_spin_unlock(&a);
    return unused;
}

static void *b_then_a(void *unused)
{
    pthread_spin_lock(&b);
    pthread_spin_lock(&a);
    pthread_spin_unlock(&a);
    pthread_spin_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_spin_init(&a, 0);
    pthread_spin_init(&b, 0);
    pthread_create(&thread[0], NULL, a_then_b, NULL);
    pthread_create(&thread[1], NULL, b_then_a, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
