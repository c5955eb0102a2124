// One thread writes eight bytes, two others four of them each: overlapping accesses are dependent, the two halves are not.
// compiler: bpor
// bound none: pass, traces 4
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static union {
    _Atomic uint64_t whole;
    _Atomic uint32_t half[2];
} word;

static void *write_whole(void *unused)
{
    atomic_store(&word.whole, 0x100000001);
    return unused;
}

static void *write_half(void *which)
{
    atomic_store(&word.half[(intptr_t)which], 2);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, write_whole, NULL);
    pthread_create(&thread[1], NULL, write_half, (void *)0);
    pthread_create(&thread[2], NULL, write_half, (void *)1);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
