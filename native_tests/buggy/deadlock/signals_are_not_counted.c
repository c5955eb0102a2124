// Two signals that nobody took in between are one: whoever waits for the second waits for ever.
// says: waits for a signal that nobody will send
// with FOR_THREAD=0, expect: deadlock
// with FOR_THREAD=1, expect: deadlock
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;

static void *work(void *unused)
{
    int got;
    sigwait(&set, &got);
    sigwait(&set, &got);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        FOR_THREAD ? pthread_kill(thread, SIGUSR1) : kill(getpid(), SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
