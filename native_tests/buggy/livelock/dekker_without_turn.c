// Dekker's lock without the turn: two flags. Thread 0 raises its flag and stops there; thread 1 raises its own; each waits for
// the other for ever. One preemption, right between a thread's store and its load; without it the first thread is done before the
// second begins.
// compiler: bpor
// options: --max-steps=400
// says: goes round dekker_without_turn.c:19 for ever
// bound fair:2,preemption:0: pass
// bound fair:2,preemption:1..3: livelock
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2];
static int inside;

static void lock(int me)
{
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[1 - me]))
        continue;
}

static void unlock(int me)
{
    atomic_store(&wants[me], 0);
}

static void *work(void *argument)
{
    int me = (int)(intptr_t)argument;
    lock(me);
    inside++;
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return inside != 2;
}
