// libuv's own barrier: who is told to be the last one destroys it, as its documentation has it.
#include <assert.h>
#include <uv.h>

static uv_barrier_t barrier;

static void pass(void *unused)
{
    (void)unused;
    if (uv_barrier_wait(&barrier) > 0)
        uv_barrier_destroy(&barrier);
}

int main(void)
{
    uv_thread_t thread;
    assert(uv_barrier_init(&barrier, 2) == 0);
    assert(uv_thread_create(&thread, pass, NULL) == 0);
    pass(NULL);
    assert(uv_thread_join(&thread) == 0);
    return 0;
}
