/* An account. cffi lets the GIL go around every call, so a C library that was written for one thread has none here.
 *
 * Breaks so: two withdrawals see the same balance, both find it high enough, and one of them is lost or both are paid.
 * Fixed: a mutex around looking and taking. */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static bool withdraw(int amount)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    bool enough = balance >= amount;
    if (enough)
        balance -= amount;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#else
    (void)lock;
#endif
    return enough;
}
