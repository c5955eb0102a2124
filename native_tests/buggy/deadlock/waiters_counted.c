// Who notifies looks at the number of waiters first, after a release store: a processor may look before others see the store. Then nobody is
// woken, and the waiter, counted too late, sleeps. So does std::atomic's notify of libstdc++ 12 after a release store.
// compiler: bpor
// bound none: deadlock
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, waiters;

static void *wait_for_it(void *unused)
{
    atomic_fetch_add(&waiters, 1);
    if (!atomic_load_explicit(&word, memory_order_relaxed))
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return unused;
}

int main(void)
{
    pthread_t waiter;
    pthread_create(&waiter, NULL, wait_for_it, NULL);
    atomic_store_explicit(&word, 1, memory_order_release);
    if (atomic_load(&waiters))
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(waiter, NULL);
    return 0;
}
