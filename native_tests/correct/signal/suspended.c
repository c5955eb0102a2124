// A thread that blocks a signal until it waits for it, in sigsuspend, misses none; its handler runs in the wait and nowhere else.
// expect: pass
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;

static void handle(int number)
{
    came = number;
}

static void *work(void *outside)
{
    while (!came)
        sigsuspend(outside);
    assert(came == SIGUSR1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sigset_t signals, outside;
    signal(SIGUSR1, handle);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, &outside);
    pthread_create(&thread, NULL, work, &outside);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
