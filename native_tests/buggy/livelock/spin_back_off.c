// Two threads take two spin locks in opposite orders; who fails the second one gives the first one back and starts again:
// in lock-step they do so for ever, and no yield in the source says that they wait.
// compiler: bpor
// options: --max-steps=2000
// bound preemption:0: pass
// bound fair:2,preemption:1: livelock
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static atomic_bool lock[2];
static int counter;

static void take(int which)
{
    while (atomic_exchange(&lock[which], true))
        continue;
}

static void *both(void *argument)
{
    int first = (int)(intptr_t)argument;
    for (;;) {
        take(first);
        if (!atomic_exchange(&lock[1 - first], true))
            break;
        atomic_store(&lock[first], false);
    }
    counter++;
    atomic_store(&lock[1 - first], false);
    atomic_store(&lock[first], false);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, both, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return counter != 2;
}
