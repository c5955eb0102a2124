// Two initialisations that need each other, each begun by another thread.
// expect: deadlock
// bound preemption:1: deadlock
// says: deadlock
#include <pthread.h>

static pthread_once_t config = PTHREAD_ONCE_INIT, logging = PTHREAD_ONCE_INIT;
static int config_wants_log = 1;

static void open_log(void);

static void read_config(void)
{
    if (config_wants_log)
        pthread_once(&logging, open_log);
}

static void open_log(void)
{
    if (!config_wants_log)
        pthread_once(&config, read_config);
}

static void open_log_first(void)
{
    pthread_once(&config, read_config);
}

static void *reader(void *unused)
{
    pthread_once(&config, read_config);
    return unused;
}

static void *logger(void *unused)
{
    pthread_once(&logging, open_log_first);
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
