// Who notifies looks at the number of waiters first, after a seq_cst store: together with the barrier that the kernel has before it compares
// the word, one of the two sees the other, in the memory of C11 too.
// compiler: bpor
// bound none: pass
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
    atomic_store(&word, 1);
    if (atomic_load(&waiters))
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(waiter, NULL);
    return 0;
}
