// A signal may come before another thread has said who handles it: it ends the program then.
// with WAY=0, expect: crash
// with WAY=1, expect: crash
// with WAY=2, expect: crash
// with WAY=3, expect: crash
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void handle(int number)
{
    (void)number;
}

static void *say_who_handles(void *unused)
{
    signal(SIGUSR1, handle);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    if (WAY >= 2) {
        pthread_sigmask(SIG_BLOCK, &signals, NULL);
        WAY == 2 ? raise(SIGUSR1) : kill(getpid(), SIGUSR1);
    }
    pthread_create(&thread, NULL, say_who_handles, NULL);
    if (WAY == 0)
        raise(SIGUSR1);
    if (WAY == 1)
        kill(getpid(), SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    pthread_join(thread, NULL);
    return 0;
}
