// Dekker's lock that forgets to raise its flag again after giving way. Thread 0 raises its flag and is left (1); thread 1 meets
// it, takes its own down and spins for its turn, which costs nothing to leave; thread 0 enters, leaves, hands over the turn and
// is left (2); thread 1 sees its turn and no flag and enters with its flag down, is left inside (3); thread 0 comes back, sees no
// flag and enters too. All three are needed. Without (1) thread 1 never gives way. Without (2) thread 0 is inside again, or done,
// before thread 1 looks, and thread 1 waits for its flag. Without (3) thread 1 is out, and thread 0 reads what it wrote then.
// compiler: bpor
// bound fair:2,preemption:0..2: pass
// bound fair:2,preemption:3: race
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn;
static int inside;

static void lock(int me)
{
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[1 - me])) {
        if (atomic_load(&turn) == me)
            continue;
        atomic_store(&wants[me], 0);
        while (atomic_load(&turn) != me)
            continue;
    }
}

static void unlock(int me)
{
    atomic_store(&turn, 1 - me);
    atomic_store(&wants[me], 0);
}

static void *work(void *argument)
{
    int me = (int)(intptr_t)argument;
    for (int times = me == 0 ? 2 : 1; times > 0; times--) {
        lock(me);
        inside++;
        unlock(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return inside != 3;
}
