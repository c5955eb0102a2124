// A loop that looks a thousand times and then gives up: round after round it is like a livelock, and it is correct.
// compiler: bpor
// expect: pass
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag, other;

static void *look(void *unused)
{
    for (int tries = 1000; !atomic_load(&flag) && tries--;)
        sched_yield();
    return unused;
}

static void *be_busy(void *unused)
{
    atomic_store(&other, 1);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, look, NULL);
    pthread_create(&thread[1], NULL, be_busy, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
