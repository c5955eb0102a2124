// The same memory at two addresses: an update through one is lost to an update through the other, and addresses do not tell.
// says: two addresses
// expect: uncontrolled
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static void *add(void *where)
{
    volatile int *counter = where;
    int seen = *counter;
    *counter = seen + 1;
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    int file = memfd_create("counter", 0);
    if (ftruncate(file, 4096) != 0)
        return 2;
    int *here = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    int *there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_create(&one, NULL, add, here);
    pthread_create(&two, NULL, add, there);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(*here == 2);
    return 0;
}
