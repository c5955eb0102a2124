// libuv's async handle: it is closed by its callback while a second thread may send as well.
#include <assert.h>
#include <stdlib.h>
#include <uv.h>

static uv_mutex_t lock;
static uv_async_t *handle; // NULL once it is closed

static void closed(uv_handle_t *it)
{
    free(it);
}

static void told(uv_async_t *it)
{
    uv_mutex_lock(&lock);
    handle = NULL;
    uv_mutex_unlock(&lock);
    uv_close((uv_handle_t *)it, closed);
}

static void teller(void *unused)
{
    (void)unused;
    uv_mutex_lock(&lock);
    if (handle != NULL)
        uv_async_send(handle);
    uv_mutex_unlock(&lock);
}

int main(void)
{
    uv_loop_t loop;
    uv_thread_t one, two;
    handle = malloc(sizeof *handle);
    assert(uv_mutex_init(&lock) == 0 && uv_loop_init(&loop) == 0);
    assert(uv_async_init(&loop, handle, told) == 0);
    assert(uv_thread_create(&one, teller, NULL) == 0);
    assert(uv_thread_create(&two, teller, NULL) == 0);
    assert(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    assert(uv_thread_join(&one) == 0 && uv_thread_join(&two) == 0);
    assert(uv_loop_close(&loop) == 0);
    return 0;
}
