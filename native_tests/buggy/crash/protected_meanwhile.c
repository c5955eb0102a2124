// A thread takes the right to write away from memory that another one still writes to.
// bound preemption:0: crash
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static volatile char *memory;

static void *write_it(void *unused)
{
    *memory = 1;
    return unused;
}

static void *protect(void *unused)
{
    assert(mprotect((void *)memory, 4096, PROT_READ) == 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    pthread_create(&one, NULL, write_it, NULL);
    pthread_create(&two, NULL, protect, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
