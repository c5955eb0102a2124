// A thread blocks a signal too late: one that came before would have interrupted it anywhere.
// says: pthread_kill
// expect: uncontrolled
#include <pthread.h>
#include <signal.h>

static sigset_t set;

static void *work(void *unused)
{
    int got;
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigwait(&set, &got);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_create(&thread, NULL, work, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
