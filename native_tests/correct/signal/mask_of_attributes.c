// A thread begins with the mask that its attributes have, not with its creator's.
// expect: pass
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;

static void handle(int number)
{
    came = number;
}

static void *work(void *unused)
{
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    assert(!sigismember(&blocked, SIGUSR1) && sigismember(&blocked, SIGUSR2));
    raise(SIGUSR2);
    assert(came == 0);
    raise(SIGUSR1);
    assert(came == SIGUSR1);
    return unused;
}

int main(void)
{
    sigset_t mine, of_the_thread;
    pthread_attr_t attributes;
    pthread_t thread;
    signal(SIGUSR1, handle);
    sigemptyset(&mine);
    sigemptyset(&of_the_thread);
    sigaddset(&mine, SIGUSR1);
    sigaddset(&of_the_thread, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &mine, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setsigmask_np(&attributes, &of_the_thread);
    pthread_create(&thread, &attributes, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
