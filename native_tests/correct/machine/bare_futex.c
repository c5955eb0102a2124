// A futex by bare system call instructions: one thread waits for a word, the other sets it and wakes.
// machine: x86_64
// options: --machine-code=auto
// bound none: pass
// bound preemption:2: pass
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>

static atomic_int word;
static int message;

static long futex(int operation, int value)
{
    register long timeout __asm__("r10") = 0;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)SYS_futex), "D"(&word), "S"((long)operation), "d"((long)value), "r"(timeout)
                     : "rcx", "r11", "memory");
    return result;
}

static void *tell(void *unused)
{
    message = 42;
    atomic_store(&word, 1);
    futex(FUTEX_WAKE_PRIVATE, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, tell, NULL);
    while (atomic_load(&word) == 0)
        futex(FUTEX_WAIT_PRIVATE, 0);
    int got = message;
    pthread_join(thread, NULL);
    return got == 42 ? 0 : 1;
}
