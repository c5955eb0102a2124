// A ticket lock protects a plain counter: draw a ticket, wait until it is served, serve the next.
// compiler: bpor
// bound fair:2,preemption:0..3: pass
// bound fair:2: pass
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ticket, serving;
static int counter;

static void lock(void)
{
    int mine = atomic_fetch_add(&ticket, 1);
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
