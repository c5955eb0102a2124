// A work-stealing queue in a bounded circular buffer, as Cilk has it: the owner puts and takes at the tail, a thief steals at the head, and they
// meet under a lock only where they may want the same job. The owner puts SIZE jobs and takes them again; the thief steals STEALS times.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef SIZE
#define SIZE 3
#endif
#ifndef STEALS
#define STEALS 2
#endif
enum { ROOM = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head, tail;
static int job[ROOM]; // the protocol sees to it that nobody else is there
static int done[SIZE + 1]; // by whoever has the job, and nobody else may have it

static void finish(int number)
{
    assert(!done[number]++);
}

static void put(int number)
{
    job[(number - 1) % ROOM] = number;
    atomic_store(&tail, number);
}

static void take(int at)
{
    atomic_store(&tail, at);
    if (atomic_load(&head) > at) {
        atomic_store(&tail, at + 1);
        pthread_mutex_lock(&lock);
        int empty = atomic_load(&head) > at;
        if (!empty)
            atomic_store(&tail, at);
        pthread_mutex_unlock(&lock);
        if (empty)
            return;
    }
    finish(job[at % ROOM]);
}

static void *thief(void *unused)
{
    for (int i = 0; i < STEALS; i++) {
        pthread_mutex_lock(&lock);
        int at = atomic_load(&head);
        atomic_store(&head, at + 1);
        int found = at + 1 <= atomic_load(&tail);
        int number = found ? job[at % ROOM] : 0;
        if (!found)
            atomic_store(&head, at);
        pthread_mutex_unlock(&lock);
        if (found)
            finish(number);
    }
    return unused;
}

static void *owner(void *unused)
{
    for (int i = 1; i <= SIZE; i++)
        put(i);
    for (int i = SIZE; i > 0; i--)
        take(i - 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, owner, 0);
    pthread_create(&threads[1], 0, thief, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
