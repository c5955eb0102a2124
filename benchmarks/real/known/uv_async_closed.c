// libuv's async handles: each is closed and freed as soon as it is told of. The loop looks at both when either wakes it.
#include <assert.h>
#include <stdlib.h>
#include <uv.h>

static uv_async_t *handle[2];

static void closed(uv_handle_t *it)
{
    free(it);
}

static void told(uv_async_t *it)
{
    uv_close((uv_handle_t *)it, closed);
}

static void tell(void *which)
{
    assert(uv_async_send(*(uv_async_t **)which) == 0);
}

int main(void)
{
    uv_loop_t loop;
    uv_thread_t teller[2];
    assert(uv_loop_init(&loop) == 0);
    for (int i = 0; i < 2; i++) {
        handle[i] = malloc(sizeof *handle[i]);
        assert(uv_async_init(&loop, handle[i], told) == 0);
    }
    for (int i = 0; i < 2; i++)
        assert(uv_thread_create(&teller[i], tell, &handle[i]) == 0);
    assert(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    for (int i = 0; i < 2; i++)
        assert(uv_thread_join(&teller[i]) == 0);
    assert(uv_loop_close(&loop) == 0);
    return 0;
}
