// Memory that the kernel may drop (MAP_DROPPABLE), mapped before main: the kernel does not track writes to it, yet every execution finds
// it as it was, and the rest is tracked. Since glibc 2.41 the state of getrandom lies in such memory.
// bound none: pass
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 8
#endif

enum { PAGES = 2, PAGE = 4096 };

static char ballast[9 << 20]; // too much to be copied after every execution
static char *memory;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static char *map(int flags)
{
    return mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
}

__attribute__((constructor)) static void before_main(void)
{
    memset(ballast, 1, sizeof ballast);
    memory = map(MAP_DROPPABLE);
    if (memory == MAP_FAILED)
        memory = map(MAP_PRIVATE); // a kernel before 6.11
    memory[1] = 0;                 // the first page is there, the second is not
}

static void *write_both(void *unused)
{
    pthread_mutex_lock(&mutex);
    memory[0]++;
    memory[PAGE]++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    if (memory[0] != 0 || memory[PAGE] != 0)
        abort();
    pthread_create(&one, NULL, write_both, NULL);
    pthread_create(&other, NULL, write_both, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
}
