// A thread unmaps memory that another one still reads.
// bound preemption:0: crash
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static volatile char *memory;

static void *read_it(void *unused)
{
    return *memory ? NULL : unused;
}

static void *unmap(void *unused)
{
    munmap((void *)memory, 4096);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&one, NULL, read_it, NULL);
    pthread_create(&two, NULL, unmap, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
