// A thread takes the signals of the process, which every thread blocks: it comes back with the one that was sent, before or after it
// began to wait.
// expect: pass
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;

static void *work(void *unused)
{
    int got;
    assert(sigwait(&set, &got) == 0 && got == SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, work, NULL);
    kill(getpid(), SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
