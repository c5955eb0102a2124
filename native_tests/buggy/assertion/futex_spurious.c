// A futex wait may return without a wake: with spurious wake-ups the waiter that does not look at its word again is caught.
// options: --spurious
// bound preemption:1: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint word;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void meet(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void *wait_once(void *unused)
{
    meet();
    if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0)
        assert(word == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_once, NULL);
    meet();
    word = 1;
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(thread, NULL);
    return 0;
}
