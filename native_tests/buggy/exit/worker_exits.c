// A worker that finds no configuration ends the whole process with status 3.
// expect: exit
// says: 3
// bound preemption:0: pass, traces 1
// bound preemption:1: exit
// bound none: exit, traces 2
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int configured;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (!configured)
        exit(3);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    configured = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
