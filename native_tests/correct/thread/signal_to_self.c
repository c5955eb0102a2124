// A thread sends itself signals, by pthread_kill and by raise: its handler runs there and then, and not while the thread blocks them.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local volatile sig_atomic_t caught;

static void on_signal(int number)
{
    assert(number == SIGUSR1);
    caught++;
}

static void *send(void *unused)
{
    sigset_t set;
    assert(pthread_kill(pthread_self(), SIGUSR1) == 0 && caught == 1);
    assert(raise(SIGUSR1) == 0 && caught == 2);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    assert(pthread_kill(pthread_self(), SIGUSR1) == 0 && caught == 2);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    assert(caught == 2);
    assert(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0 && caught == 3);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    assert(signal(SIGUSR1, on_signal) != SIG_ERR);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, send, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(caught == 0);
    return 0;
}
