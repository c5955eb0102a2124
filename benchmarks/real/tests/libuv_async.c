// A thread wakes a loop twice; the callback closes the handle, whose memory is freed when it is closed.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <uv.h>

static int seen;

static void closed(uv_handle_t *handle)
{
    free(handle);
}

static void woken(uv_async_t *async)
{
    seen++;
    uv_close((uv_handle_t *)async, closed);
}

static void *sender(void *async)
{
    assert(uv_async_send(async) == 0);
    return NULL;
}

int main(void)
{
    uv_loop_t loop;
    pthread_t thread;
    uv_async_t *async = malloc(sizeof *async);
    assert(uv_loop_init(&loop) == 0);
    assert(uv_async_init(&loop, async, woken) == 0);
    assert(pthread_create(&thread, NULL, sender, async) == 0);
    assert(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    assert(seen == 1);
    assert(pthread_join(thread, NULL) == 0);
    assert(uv_loop_close(&loop) == 0);
    return 0;
}
