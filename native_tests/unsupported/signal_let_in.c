// A signal that the mask of ppoll lets in would end the wait: refused by name, whether it is there already or comes then; and so is one
// that its sender could take as well as the thread that waits for it.
// with WAY=0, expect: uncontrolled
// with WAY=1, expect: uncontrolled
// with WAY=2, expect: uncontrolled
// with WAY=3, expect: uncontrolled
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

static sigset_t set, none;
static int ends[2];

static void handle(int number)
{
    (void)number;
}

static void *work(void *unused)
{
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    int got;
    if (WAY == 0)
        ppoll(&one, 1, NULL, &none);
    if (WAY == 1)
        pselect(0, NULL, NULL, NULL, NULL, &none);
    if (WAY >= 2)
        sigwait(&set, &got);
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handle);
    sigemptyset(&set);
    sigemptyset(&none);
    sigaddset(&set, SIGUSR1);
    if (pipe(ends) != 0)
        return 1;
    if (WAY != 3)
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, work, NULL);
    if (WAY == 2)
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    WAY >= 2 ? kill(getpid(), SIGUSR1) : pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
