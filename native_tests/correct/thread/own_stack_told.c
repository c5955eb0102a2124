// A thread on a stack of the program's own: its objects there work, and pthread_getattr_np tells where it is.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { SIZE = 256 * 1024 };
static pthread_mutex_t *shared;

static void *use(void *memory)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t attributes;
    void *start;
    size_t size;
    assert((char *)&own >= (char *)memory && (char *)&own < (char *)memory + SIZE);
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    assert(pthread_attr_getstack(&attributes, &start, &size) == 0);
    assert((char *)&own >= (char *)start && (char *)&own < (char *)start + size);
    pthread_attr_destroy(&attributes);
    pthread_mutex_lock(&own);
    pthread_mutex_lock(shared);
    pthread_mutex_unlock(shared);
    pthread_mutex_unlock(&own);
    return memory;
}

int main(void)
{
    pthread_t thread[2];
    void *memory[2], *value;
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    shared = &mutex;
    for (int i = 0; i < 2; i++) {
        pthread_attr_t attributes;
        memory[i] = aligned_alloc(4096, SIZE);
        pthread_attr_init(&attributes);
        assert(pthread_attr_setstack(&attributes, memory[i], SIZE) == 0);
        assert(pthread_create(&thread[i], &attributes, use, memory[i]) == 0);
        pthread_attr_destroy(&attributes);
    }
    for (int i = 0; i < 2; i++) {
        assert(pthread_join(thread[i], &value) == 0);
        assert(value == memory[i]);
        free(memory[i]);
    }
    return 0;
}
