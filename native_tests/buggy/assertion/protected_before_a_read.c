// A page is made read-only while main reads a file into it, which fails then: no fault, but an error.
// bound none: assertion
// bound preemption:1: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void *protect(void *page)
{
    mprotect(page, PAGE, PROT_READ);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int fd = fileno(tmpfile());
    assert(write(fd, "text", 4) == 4);
    pthread_create(&thread, NULL, protect, page);
    ssize_t bytes = pread(fd, page, 4, 0);
    pthread_join(thread, NULL);
    assert(bytes == -1); /* as if it were always too late */
    return 0;
}
