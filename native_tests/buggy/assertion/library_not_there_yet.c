// A thread loads a library, and main finds it only if that was earlier.
// bound none: assertion
// bound preemption:1: assertion
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>

static void *load(void *name)
{
    assert(dlopen(name, RTLD_NOW));
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, load, "libresolv.so.2");
    void *there = dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD);
    pthread_join(thread, NULL);
    assert(there);
    return 0;
}
