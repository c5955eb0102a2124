// pthread_exit in main ends main only: the worker goes on, the exit handlers run when it is done, the status is zero.
// Two orders of the locks, two of the ends.
// bound none: pass, traces 4
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 3
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void add(void)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
}

static void *work(void *unused)
{
    add();
    return unused;
}

static void check(void)
{
    if (counter != 2)
        _Exit(1);
}

int main(void)
{
    pthread_t thread;
    atexit(check);
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    add();
    pthread_exit(NULL);
}
