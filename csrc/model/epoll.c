/* Which epoll watches which channel. A channel that becomes ready enters the epoll's list of ready descriptors, in that order:
 * so whoever changes a watched channel writes the epoll too, and a waiter is known by its epoll alone. */
#include "model/channel.h"
#include "model/rules.h"

enum { MAX_INTERESTS = 4096, MAX_NESTED = 5 /* the kernel's own limit */ };

static struct interest {
    struct channel *epoll;
    struct channel *watched;
    int fd;
} interest[MAX_INTERESTS];
static unsigned interests;

void bpor_epoll_watch(struct channel *epoll, struct channel *watched, int fd)
{
    if (interests == MAX_INTERESTS)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 4096 descriptors watched by epoll in one execution");
    interest[interests++] = (struct interest){epoll, watched, fd};
}

void bpor_epoll_unwatch(struct channel *epoll, int fd)
{
    for (unsigned i = 0; i < interests; i++)
        if (interest[i].epoll == epoll && interest[i].fd == fd) {
            interest[i] = interest[--interests];
            return;
        }
}

static void each_watched(const struct channel *epoll, void (*visit)(struct channel *watched, int fd, void *data), void *data,
                         unsigned depth)
{
    for (unsigned i = 0; i < interests && depth < MAX_NESTED; i++)
        if (interest[i].epoll == epoll) {
            visit(interest[i].watched, interest[i].fd, data);
            each_watched(interest[i].watched, visit, data, depth + 1);
        }
}

void bpor_epoll_each_watched(const struct channel *epoll, void (*visit)(struct channel *watched, int fd, void *data), void *data)
{
    each_watched(epoll, visit, data, 0);
}

static void touch_once(struct operation *op, struct object *object, bool write)
{
    for (unsigned i = 0; i < op->accesses; i++)
        if (op->access[i].object == object->id) {
            op->access[i].write |= write;
            return;
        }
    bpor_touch_object(op, object, write);
}

static void touch_watchers(struct operation *op, const struct channel *channel, unsigned depth)
{
    for (unsigned i = 0; i < interests && depth < MAX_NESTED; i++)
        if (interest[i].watched == channel) {
            touch_once(op, bpor_channel_object(interest[i].epoll), true);
            touch_watchers(op, interest[i].epoll, depth + 1);
        }
}

void bpor_channel_touch_watchers(struct operation *op, struct channel *channel)
{
    touch_watchers(op, channel, 0);
}

void bpor_channel_touch(struct operation *op, struct channel *channel, bool write)
{
    touch_once(op, bpor_channel_object(channel), write);
    if (write)
        bpor_channel_touch_watchers(op, channel);
}
