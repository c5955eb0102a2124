// A thread that sends itself signals which it blocks: of a real-time signal every one comes when it is let through, of another one only one.
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static _Thread_local volatile int caught[65];

static void count(int number)
{
    caught[number]++;
}

static void *work(void *unused)
{
    sigset_t block, old;
    int queued = SIGRTMIN + 1;
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    sigaddset(&block, queued);
    pthread_sigmask(SIG_BLOCK, &block, &old);
    for (int i = 0; i < 3; i++) {
        raise(SIGUSR1);
        raise(queued);
    }
    assert(caught[SIGUSR1] == 0 && caught[queued] == 0);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    assert(caught[SIGUSR1] == 1);
    assert(caught[queued] == 3);
    return unused;
}

int main(void)
{
    pthread_t two[2];
    struct sigaction action = {.sa_handler = count};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGRTMIN + 1, &action, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&two[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(two[i], NULL);
    return 0;
}
