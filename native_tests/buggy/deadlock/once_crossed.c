// Each runs its own initialisation and then makes sure of the other's: alone it goes well, crossed each waits for the other.
// expect: deadlock
// bound preemption:0: pass
// bound preemption:1: deadlock
#include <pthread.h>

static pthread_once_t config = PTHREAD_ONCE_INIT, logging = PTHREAD_ONCE_INIT;

static void nothing_to_do(void)
{
}

static void read_config(void)
{
    pthread_once(&logging, nothing_to_do);
}

static void open_log(void)
{
    pthread_once(&config, nothing_to_do);
}

static void *reader(void *unused)
{
    pthread_once(&config, read_config);
    return unused;
}

static void *logger(void *unused)
{
    pthread_once(&logging, open_log);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, reader, NULL);
    pthread_create(&thread[1], NULL, logger, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
