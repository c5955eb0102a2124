// A thread counts its rounds while it waits. The fair bound has to stop it at last, and then it says that schedules were lost: a loop that
// counts may do something in its tenth round.
// says: though it was getting on with something
// says: counts_rounds.c:26
// bound fair:2,preemption:1: inconclusive
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static int is_ready(void)
{
    pthread_mutex_lock(&mutex);
    int seen = ready;
    pthread_mutex_unlock(&mutex);
    return seen;
}

static void *poll_and_count(void *unused)
{
    volatile int rounds = 0;
    (void)unused;
    while (!is_ready()) {
        rounds++;
        sched_yield();
    }
    return rounds == 10 ? (void *)&mutex : NULL;
}

static void *announce(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t waiting, other;
    pthread_create(&waiting, NULL, poll_and_count, NULL);
    pthread_create(&other, NULL, announce, NULL);
    pthread_join(waiting, NULL);
    pthread_join(other, NULL);
    return 0;
}
