// Signals for one thread, which blocks them, wait for it: the lowest first, an ordinary one once, a queued one as often as it was sent.
// expect: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static sigset_t set;
static const struct timespec at_once = {0, 0}, soon = {1, 0}, for_ever = {1L << 55, 0};

static void *work(void *unused)
{
    siginfo_t told;
    int taken = sigwaitinfo(&set, &told);
    assert(sigtimedwait(&set, NULL, &for_ever) == SIGRTMIN); /* as nanoseconds its time would be 0 */
    assert(taken == told.si_signo && told.si_code == SI_USER && told.si_pid == getpid());
    return unused;
}

static void *count(void *counted)
{
    for (int taken = 0; taken >= 0;) {
        taken = sigtimedwait(&set, NULL, &soon);
        *(int *)counted += taken == SIGRTMIN ? 10 : taken == SIGUSR1 ? 1 : 0;
        assert(taken >= 0 || errno == EAGAIN);
    }
    return NULL;
}

int main(void)
{
    pthread_t worker, counter;
    int counted = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&counter, NULL, count, &counted);
    pthread_kill(worker, SIGUSR1);
    pthread_kill(worker, SIGRTMIN);
    pthread_kill(counter, SIGRTMIN);
    pthread_kill(counter, SIGRTMIN);
    pthread_join(worker, NULL);
    pthread_join(counter, NULL);
    assert(counted == 20 && sigtimedwait(&set, NULL, &at_once) == -1 && errno == EAGAIN);
    return 0;
}
