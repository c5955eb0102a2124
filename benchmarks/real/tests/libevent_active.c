// A thread activates an event of a base that another thread dispatches.
#include <assert.h>
#include <event2/event.h>
#include <event2/thread.h>
#include <pthread.h>

static int seen;

static void happened(evutil_socket_t socket, short what, void *base)
{
    (void)socket, (void)what;
    seen++;
    event_base_loopbreak(base);
}

static void *activator(void *event)
{
    event_active(event, EV_TIMEOUT, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    assert(evthread_use_pthreads() == 0);
    struct event_base *base = event_base_new();
    struct event *event = event_new(base, -1, EV_PERSIST, happened, base);
    struct timeval soon = {3600, 0};
    assert(event_add(event, &soon) == 0);
    assert(pthread_create(&thread, NULL, activator, event) == 0);
    assert(event_base_dispatch(base) == 0);
    assert(seen == 1);
    assert(pthread_join(thread, NULL) == 0);
    event_free(event);
    event_base_free(base);
    return 0;
}
