// A bare loop waits for a flag that nobody will ever set: a livelock, with the line of the loop.
// compiler: bpor
// options: --max-steps=400
// says: goes round flag_never_set.c:13 for ever
// bound fair:2,preemption:2: livelock
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *wait_for_it(void *unused)
{
    while (!atomic_load(&flag))
        continue;
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, wait_for_it, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
