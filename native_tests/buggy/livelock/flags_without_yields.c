// Two threads raise their flags, meet the other's, take their own down and try again: nothing in the loop yields, and each round
// changes something. Only states that come back show that it goes on for ever.
// compiler: bpor
// says: may go on for ever; other schedules leave it
// expect: livelock
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2];

static void *enter(void *argument)
{
    int me = (int)(intptr_t)argument;
    for (;;) {
        atomic_store(&wants[me], 1);
        if (!atomic_load(&wants[1 - me]))
            break;
        atomic_store(&wants[me], 0);
    }
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, enter, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
