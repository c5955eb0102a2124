// A spin lock is destroyed while it is held.
// says: destroy
// bound none: misuse, traces 1
#include <pthread.h>

int main(void)
{
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_destroy(&lock);
    return 0;
}
