// The same waiter without spurious wake-ups: it is woken after the change, or finds the word changed and does not wait.
// bound none: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
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
    long result = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    assert(result == 0 || errno == EAGAIN || errno == EINTR);
    assert(word == 1 || result != 0);
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
