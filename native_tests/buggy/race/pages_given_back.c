// Pages that are given back (madvise) are blank: to whoever has written there that is a write by another thread.
// compiler: bpor
// says: write of 4096 bytes
// expect: race
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PAGE = 4096 };
static char *page;

static void *write_it(void *unused)
{
    page[0] = 1;
    return unused;
}

static void *give_back(void *unused)
{
    madvise(page, PAGE, MADV_DONTNEED);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&one, NULL, write_it, NULL);
    pthread_create(&two, NULL, give_back, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
