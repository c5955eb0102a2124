// A ticket lock whose tickets are drawn by a load and a store. One thread reads ticket 0 and is left (1); the other draws ticket
// 0 too. If that one runs on, 1 is served, and the first waits for 0 for ever. If it is left inside (2), the first enters too,
// which is a race. Without a preemption each draws its own ticket; with one, nobody is left inside and two are never in.
// compiler: bpor
// options: --max-steps=400 --keep-going
// says: goes round ticket_load_store.c:21 for ever
// bound fair:2,preemption:0: pass
// bound fair:2,preemption:1: livelock
// bound fair:2,preemption:2..3: livelock and race
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ticket, serving;
static int counter;

static void lock(void)
{
    int mine = atomic_load(&ticket);
    atomic_store(&ticket, mine + 1);
    while (atomic_load(&serving) != mine)
        continue;
}

static void unlock(void)
{
    atomic_fetch_add(&serving, 1);
}

static void *work(void *unused)
{
    lock();
    counter++;
    unlock();
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return counter != 2;
}
