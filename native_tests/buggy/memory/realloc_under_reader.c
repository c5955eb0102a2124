// A buffer grows while another thread still reads the old one.
// compiler: bpor
// says: use after free
// bound preemption:0: memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) buffer;

static void *grow(void *unused)
{
    atomic_store(&buffer, realloc(atomic_load(&buffer), 64 * sizeof(int)));
    return unused;
}

int main(void)
{
    pthread_t thread;
    int *old = calloc(4, sizeof(int));
    atomic_store(&buffer, old);
    pthread_create(&thread, NULL, grow, NULL);
    pthread_join(thread, NULL);
    return old[0];
}
