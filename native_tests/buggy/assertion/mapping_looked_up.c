// Main looks among the mappings of the process for one that another thread makes.
// bound none: assertion
// bound preemption:1: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { BYTES = 1 << 20 };
static uintptr_t block;

static void *unmap(void *unused)
{
    munmap((void *)block, BYTES);
    return unused;
}

static int is_there(void)
{
    unsigned long start, end;
    char line[512];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start <= block && block < end)
            found = 1;
    fclose(maps);
    return found;
}

int main(void)
{
    pthread_t thread;
    block = (uintptr_t)mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, NULL, unmap, NULL);
    int found = is_there();
    pthread_join(thread, NULL);
    assert(found);
    return 0;
}
