// libuv's thread pool: slow work (looking for a name) beside other work.
#include <assert.h>
#include <uv.h>

static int done;

static void work(uv_work_t *unused)
{
    (void)unused;
}

static void worked(uv_work_t *unused, int status)
{
    (void)unused;
    assert(status == 0);
    done++;
}

static void named(uv_getnameinfo_t *unused, int status, const char *host, const char *service)
{
    (void)unused, (void)host, (void)service;
    assert(status == 0);
    done++;
}

int main(void)
{
    uv_work_t request;
    uv_getnameinfo_t names[2];
    struct sockaddr_in address;
    uv_loop_t *loop = uv_default_loop();
    assert(uv_ip4_addr("127.0.0.1", 80, &address) == 0);
    for (int i = 0; i < 2; i++)
        assert(uv_getnameinfo(loop, &names[i], named, (struct sockaddr *)&address, NI_NUMERICHOST | NI_NUMERICSERV) == 0);
    assert(uv_queue_work(loop, &request, work, worked) == 0);
    assert(uv_run(loop, UV_RUN_DEFAULT) == 0);
    assert(done == 3);
    return 0;
}
