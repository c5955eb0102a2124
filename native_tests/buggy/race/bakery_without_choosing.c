// Lamport's bakery that does not wait for the other to have drawn its number. Thread 0 sees no number and stops before it writes
// its own; thread 1 draws the same number, sees none beside it and enters; thread 0 writes its number, has precedence among
// equals and enters too. Both switches leave a thread that could go on, so that is two preemptions. With one, thread 1 is out
// when thread 0 looks at its number; and who has written its number before it is left makes the other draw a larger one and wait.
// compiler: bpor
// bound fair:2,preemption:0..1: pass
// bound fair:2,preemption:2..3: race
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int number[2];
static int inside;

static void lock(int me)
{
    int mine = atomic_load(&number[1 - me]) + 1;
    atomic_store(&number[me], mine);
    for (;;) {
        int other = atomic_load(&number[1 - me]);
        if (other == 0 || mine < other || (mine == other && me == 0))
            return;
    }
}

static void unlock(int me)
{
    atomic_store(&number[me], 0);
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
