// A thread that blocks every signal it can still works: it allocates, waits and prints, and is told the mask it asked for.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    sigset_t all, now;
    sigfillset(&all);
    assert(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    assert(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
    for (int number = 1; number < 32; number++)
        assert(number == SIGKILL || number == SIGSTOP || sigismember(&now, number));
    pthread_mutex_lock(&mutex);
    char *block = malloc(1 << 20);
    block[1 << 19] = 1;
    printf("%d\n", block[1 << 19]);
    fflush(stdout);
    free(block);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
