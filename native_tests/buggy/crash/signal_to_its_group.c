// In one order of the two threads the program ends its whole process group: that is its end, and nobody else's.
// bound none: crash
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int configured;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (!configured)
        kill(0, SIGTERM);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *configure(void *unused)
{
    pthread_mutex_lock(&mutex);
    configured = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, configure, NULL);
    pthread_create(&thread[1], NULL, work, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
