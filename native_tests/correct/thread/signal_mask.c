// A thread inherits the signal mask of its creator and changes only its own; whoever else runs in between keeps his; a
// change of no known kind changes nothing.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const int own[] = {SIGUSR2, SIGTERM};

static int blocked(int number)
{
    sigset_t mask;
    assert(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
    return sigismember(&mask, number);
}

static void *change(void *number)
{
    int mine = *(const int *)number, other = own[0] + own[1] - mine;
    sigset_t set;
    assert(blocked(SIGUSR1) && !blocked(mine) && !blocked(other));
    sigemptyset(&set);
    sigaddset(&set, mine);
    assert(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0);
    pthread_mutex_lock(&mutex);
    assert(!blocked(SIGUSR1) && blocked(mine) && !blocked(other));
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    assert(pthread_sigmask(99, &set, NULL) == EINVAL);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, change, (void *)&own[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(blocked(SIGUSR1) && !blocked(SIGUSR2) && !blocked(SIGTERM));
    return 0;
}
