// A signal to the process that every thread blocks: it is pending for whoever looks later, and comes to whoever opens its mask.
// with ANSWER=0, expect: assertion
// with ANSWER=1, expect: assertion
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *send(void *unused)
{
    kill(getpid(), SIGUSR1);
    return unused;
}

int main(void)
{
    sigset_t signals;
    pthread_t thread;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    pthread_create(&thread, NULL, send, NULL);
    sigpending(&signals);
    pthread_join(thread, NULL);
    assert(sigismember(&signals, SIGUSR1) == ANSWER);
    return 0;
}
