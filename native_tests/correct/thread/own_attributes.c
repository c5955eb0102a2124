// pthread_getattr_np tells a thread its stack, its size and whether it is detached.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static void *look(void *unused)
{
    pthread_attr_t attributes;
    volatile char here = 0;
    void *stack;
    size_t size;
    int state;
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    assert(pthread_attr_getstack(&attributes, &stack, &size) == 0);
    assert((char *)&here >= (char *)stack && (char *)&here < (char *)stack + size);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
    pthread_attr_destroy(&attributes);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    look(NULL);
    return 0;
}
