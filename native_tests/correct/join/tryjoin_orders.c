// A try to join that succeeds comes after all that the thread did, as a join does.
// compiler: bpor
// expect: pass
// bound fair:2,preemption:2: pass
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

int shared;

static void *write_it(void *unused)
{
    shared = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_it, NULL);
    while (pthread_tryjoin_np(thread, NULL) != 0)
        sched_yield();
    return shared == 1 ? 0 : 1;
}
