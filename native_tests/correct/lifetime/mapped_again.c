// Two threads map, use and unmap memory, each its own, which may lie at the same addresses: nothing is shared.
// compiler: bpor
// bound none: pass
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BYTES = 4 << 12 };

static char *map(void *wanted, int fixed)
{
    char *memory = mmap(wanted, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static void use(char *memory, int number)
{
    for (int i = 0; i < BYTES; i += 512)
        memory[i] = (char)(memory[i] + number);
}

static void *work(void *number)
{
    char *memory = map(NULL, 0);
    atomic_fetch_add((atomic_int *)(memory + 64), 1);
    use(memory, (int)(long)number);
    map(memory, MAP_FIXED);
    use(memory, 1);
    memory = mremap(memory, BYTES, 8 * BYTES, MREMAP_MAYMOVE);
    if (memory == MAP_FAILED)
        abort();
    use(memory + 7 * BYTES, 2);
    munmap(memory, 8 * BYTES);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
