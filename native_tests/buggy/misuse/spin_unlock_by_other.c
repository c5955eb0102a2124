// A spin lock is released by a thread that does not hold it.
// says: holds
// bound none: misuse, traces 1
#include <pthread.h>

static pthread_spinlock_t lock;

static void *release(void *unused)
{
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_create(&thread, NULL, release, NULL);
    pthread_join(thread, NULL);
    return 0;
}
