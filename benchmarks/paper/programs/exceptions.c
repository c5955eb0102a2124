// Message passing with errors: two workers send results to a collector, one of them an error, after which the collector takes no more.
#include <pthread.h>

enum { ROOM = 4, ERROR = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int queue[ROOM], head, tail, workers = 2;

static void send(int message)
{
    pthread_mutex_lock(&lock);
    queue[tail++ % ROOM] = message;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *argument)
{
    send(1);
    if (argument)
        send(ERROR);
    pthread_mutex_lock(&lock);
    workers--;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *collector(void *unused)
{
    int failed = 0;
    pthread_mutex_lock(&lock);
    while (!failed && (workers || head < tail)) {
        if (head == tail)
            pthread_cond_wait(&arrived, &lock);
        else
            failed = queue[head++ % ROOM] == ERROR;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, collector, 0);
    pthread_create(&threads[1], 0, worker, 0);
    pthread_create(&threads[2], 0, worker, (void *)1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
