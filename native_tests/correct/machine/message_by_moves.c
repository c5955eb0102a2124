// A message and a flag, release and acquire: plain moves on this processor, in a binary that nobody instrumented.
// machine: x86_64
// options: --machine-code=auto
// bound none: pass
// bound preemption:1: pass
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int ready;

static void *tell(void *unused)
{
    message = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
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
