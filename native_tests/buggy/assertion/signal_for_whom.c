// Two threads wait for the same signals of the process: either may take either.
// expect: assertion
// bound preemption:0: assertion
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;

static void *work(void *mine)
{
    int got;
    sigwait(&set, &got);
    assert(got == *(int *)mine);
    return NULL;
}

int main(void)
{
    int first = SIGUSR1, second = SIGUSR2;
    pthread_t one, other;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&one, NULL, work, &first);
    pthread_create(&other, NULL, work, &second);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR2);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
