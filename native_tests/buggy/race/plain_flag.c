// One thread waits for a plain flag, without a call and without an atomic: the loop is left after a while, the other thread writes
// the flag, and that is a race in the only order there is.
// compiler: bpor
// flags: -O1
// bound preemption:0: race
// bound fair:2,preemption:1: race
#include <pthread.h>

static int ready;

static void *wait_for_it(void *unused)
{
    while (!ready)
        __asm__ volatile("" : : : "memory");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_it, NULL);
    ready = 1;
    pthread_join(thread, NULL);
    return 0;
}
