// A file is memory to one thread, which has mapped it, and a file to the other, which calls pwrite.
// says: is false
// bound preemption:0: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int file;
static volatile int *memory;

static void *look(void *unused)
{
    assert(memory[1] == 0);
    return unused;
}

static void *write_it(void *unused)
{
    int one = 1;
    assert(pwrite(file, &one, sizeof one, sizeof one) == sizeof one);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    file = memfd_create("shared", 0);
    assert(ftruncate(file, 4096) == 0);
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert(memory != MAP_FAILED);
    pthread_create(&one, NULL, look, NULL);
    pthread_create(&two, NULL, write_it, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
