// Readers and a writer with two mutexes: the first reader locks the writer out, the last one lets it in again. The "room" mutex
// is locked and unlocked by different readers in general, so it is a semaphore here; the count has an ordinary mutex.
// bound none: pass, traces 14
// bound preemption:0: pass, traces 6
// bound preemption:1: pass, traces 10
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t count_mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int readers, value;

static void *read_twice(void *unused)
{
    pthread_mutex_lock(&count_mutex);
    if (++readers == 1)
        sem_wait(&room);
    pthread_mutex_unlock(&count_mutex);
    int first = value, second = value;
    assert(first == second && first % 2 == 0);
    pthread_mutex_lock(&count_mutex);
    if (--readers == 0)
        sem_post(&room);
    pthread_mutex_unlock(&count_mutex);
    return unused;
}

static void *write_twice(void *unused)
{
    sem_wait(&room);
    value++;
    value++;
    sem_post(&room);
    return unused;
}

int main(void)
{
    pthread_t reader[2], writer;
    sem_init(&room, 0, 1);
    pthread_create(&writer, NULL, write_twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&reader[i], NULL, read_twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(reader[i], NULL);
    pthread_join(writer, NULL);
    assert(value == 2 && readers == 0);
    sem_destroy(&room);
    return 0;
}
