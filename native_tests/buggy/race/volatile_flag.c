// A volatile flag is not an atomic one: it keeps the compiler from caching it and does nothing else.
// compiler: bpor
// says: in no order
// bound preemption:0: race
#include <pthread.h>
#include <stddef.h>

static volatile int stop;

static void *work(void *unused)
{
    stop = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    int seen = stop;
    pthread_join(thread, NULL);
    return seen > 1;
}
