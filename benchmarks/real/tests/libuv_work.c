// Two jobs for libuv's thread pool; both callbacks run in the loop's thread, after their jobs.
#include <assert.h>
#include <uv.h>

static int done[2], finished;

static void work(uv_work_t *request)
{
    *(int *)request->data = 1;
}

static void after(uv_work_t *request, int status)
{
    assert(status == 0 && *(int *)request->data == 1);
    finished++;
}

int main(void)
{
    uv_loop_t loop;
    uv_work_t requests[2];
    assert(uv_loop_init(&loop) == 0);
    for (int i = 0; i < 2; i++) {
        requests[i].data = &done[i];
        assert(uv_queue_work(&loop, &requests[i], work, after) == 0);
    }
    assert(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    assert(finished == 2);
    assert(uv_loop_close(&loop) == 0);
    return 0;
}
