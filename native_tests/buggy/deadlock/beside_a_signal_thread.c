// A thread waits for signals that only a user sends; that does not end a deadlock of two others.
// expect: deadlock
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static sigset_t set;

static void *wait_for_signals(void *unused)
{
    int got;
    sigwait(&set, &got);
    return unused;
}

static void *lock_both(void *unused)
{
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void)
{
    pthread_t handler, worker;
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&handler, NULL, wait_for_signals, NULL);
    pthread_create(&worker, NULL, lock_both, NULL);
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    pthread_join(worker, NULL);
    return 0;
}
