// Two polite threads that count how often they gave way. No state ever comes back, and every round is like the one before but for the
// count. That is a livelock which is not proved, because a loop that gives up after so many tries looks the same. Without the count
// it is proved.
// compiler: bpor
// says: goes round counts_retries.c:
// with COUNT=0, expect: livelock
// with COUNT=1, expect: inconclusive with livelock
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef COUNT
#define COUNT 1
#endif

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_int retries;

static void *be_polite(void *argument)
{
    int mine = (int)(intptr_t)argument;
    for (;;) {
        pthread_mutex_lock(&lock[mine]);
        if (pthread_mutex_trylock(&lock[1 - mine]) == 0)
            break;
        pthread_mutex_unlock(&lock[mine]);
        atomic_fetch_add(&retries, COUNT);
        sched_yield();
    }
    pthread_mutex_unlock(&lock[1 - mine]);
    pthread_mutex_unlock(&lock[mine]);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, be_polite, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
