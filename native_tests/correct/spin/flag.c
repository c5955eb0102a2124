// A bare loop waits for a flag: without a yield in the source it ends under the fair bound, and the verdict names the line.
// compiler: bpor
// says: yields inferred at flag.c:14
// bound fair:2,preemption:2: pass
// bound fair:2: pass
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *wait_for_it(void *unused)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        continue;
    data++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_it, NULL);
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    pthread_join(thread, NULL);
    return data != 2;
}
