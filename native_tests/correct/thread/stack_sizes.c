// Stacks of many sizes, made by libc or brought by the program, side by side: each is as large as it was asked to be, and
// pthread_getattr_np says so.
// bound none: pass, traces 24
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STACKS = 4, KEPT = 12 << 10 /* for libc and the calls above */ };
static const size_t size[STACKS] = {64 << 10, 1 << 20, 16 << 20, 256 << 10};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void __attribute__((noinline)) fill(size_t bytes)
{
    volatile char space[bytes];
    memset((char *)space, 1, bytes);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    assert(space[0] == 1 && space[bytes - 1] == 1);
}

static void *use(void *argument)
{
    pthread_attr_t attributes;
    void *low;
    size_t told, asked = *(const size_t *)argument;
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    assert(pthread_attr_getstack(&attributes, &low, &told) == 0);
    pthread_attr_destroy(&attributes);
    assert((char *)&low > (char *)low && (char *)&low < (char *)low + told);
    assert(told >= asked - KEPT);
    fill(asked - 2 * KEPT);
    return NULL;
}

int main(void)
{
    pthread_t thread[STACKS];
    void *brought = aligned_alloc(4096, size[STACKS - 1]);
    for (int i = 0; i < STACKS; i++) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        if (i == STACKS - 1)
            assert(pthread_attr_setstack(&attributes, brought, size[i]) == 0);
        else
            assert(pthread_attr_setstacksize(&attributes, size[i]) == 0);
        assert(pthread_create(&thread[i], &attributes, use, (void *)&size[i]) == 0);
        pthread_attr_destroy(&attributes);
    }
    for (int i = 0; i < STACKS; i++)
        pthread_join(thread[i], NULL);
    free(brought);
    return 0;
}
