// Dispositions and masks of signals are the kernel's: they too are as before whenever an execution begins.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t caught;

static void count(int number)
{
    (void)number;
    caught++;
}

static void *send(void *unused)
{
    pthread_mutex_lock(&mutex);
    assert(raise(SIGUSR1) == 0 && raise(SIGPIPE) == 0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    struct sigaction action = {.sa_handler = count}, old;
    sigset_t set, before;
    sigfillset(&action.sa_mask);
    assert(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_handler == SIG_DFL);
    assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, send, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(caught == 2);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(pthread_sigmask(SIG_BLOCK, &set, &before) == 0 && !sigismember(&before, SIGUSR1));
    assert(raise(SIGUSR1) == 0 && sigpending(&set) == 0 && sigismember(&set, SIGUSR1));
    return 0;
}
