// A message and a flag by plain moves, the flag first.
// machine: x86_64
// options: --machine-code=auto
// flags: -O2
// bound preemption:1: pass
// bound preemption:2: exit
#include <pthread.h>
#include <stdatomic.h>

static volatile int message;
static atomic_int ready;

static void *tell(void *unused)
{
    atomic_store_explicit(&ready, 1, memory_order_release);
    message = 42;
    return unused;
}

int main(void)
{
    pthread_t thread;
    int got = 42;
    pthread_create(&thread, NULL, tell, NULL);
    if (atomic_load_explicit(&ready, memory_order_acquire))
        got = message;
    pthread_join(thread, NULL);
    return got == 42 ? 0 : 1;
}
