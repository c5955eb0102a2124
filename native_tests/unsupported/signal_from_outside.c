// A thread waits for a signal that no thread sends: a user might, so it is neither a deadlock nor a pass.
// says: waits for a signal that no thread sends
// expect: uncontrolled
#include <pthread.h>
#include <signal.h>

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
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
