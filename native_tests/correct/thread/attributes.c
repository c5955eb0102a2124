// What pthread_getattr_np says of threads made with attributes, and of main: detach state, guard and stack size.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

enum { STACK = 512 * 1024, GUARD = 3 * 4096 };

static void *look(void *unused)
{
    pthread_attr_t attributes;
    size_t size, guard;
    int state;
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    assert(pthread_attr_getstacksize(&attributes, &size) == 0 && size >= STACK);
    assert(pthread_attr_getguardsize(&attributes, &guard) == 0 && guard == GUARD);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
    pthread_attr_destroy(&attributes);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    void *start;
    size_t size;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setguardsize(&attributes, GUARD);
    assert(pthread_create(&thread, &attributes, look, NULL) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    assert(pthread_attr_getstack(&attributes, &start, &size) == 0);
    assert((char *)&size >= (char *)start && (char *)&size < (char *)start + size);
    pthread_attr_destroy(&attributes);
    return 0;
}
