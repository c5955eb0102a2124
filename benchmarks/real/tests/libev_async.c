// A thread wakes a loop of libev.
#include <assert.h>
#include <ev.h>
#include <pthread.h>

static struct ev_loop *loop;
static ev_async watcher;
static int seen;

static void woken(struct ev_loop *it, ev_async *async, int events)
{
    (void)events;
    seen++;
    ev_async_stop(it, async);
}

static void *sender(void *unused)
{
    ev_async_send(loop, &watcher);
    return unused;
}

int main(void)
{
    pthread_t thread;
    loop = ev_loop_new(EVFLAG_AUTO);
    ev_async_init(&watcher, woken);
    ev_async_start(loop, &watcher);
    assert(pthread_create(&thread, NULL, sender, NULL) == 0);
    ev_run(loop, 0);
    assert(seen == 1);
    assert(pthread_join(thread, NULL) == 0);
    ev_loop_destroy(loop);
    return 0;
}
