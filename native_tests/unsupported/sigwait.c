// A thread that waits for a signal waits for something nobody here decides: refused at the call, by name.
// says: sigwait
// expect: uncontrolled
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;

static void *work(void *unused)
{
    int got;
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
    kill(getpid(), SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
