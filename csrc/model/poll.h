/* One call that waits for descriptors, on the stack of the thread that makes it. */
#ifndef BPOR_POLL_H
#define BPOR_POLL_H
#include "model/channel.h"

struct poll_call {
    /* Each descriptor that it asks for. */
    void (*each)(const struct poll_call *call, void (*visit)(struct channel *channel, int fd, void *data), void *data);
    /* Asks the kernel without waiting: how many are ready, or a negative errno. `keep`: store which. */
    long (*probe)(struct poll_call *call, bool keep);
    bool waits; /* its timeout is not zero */
    void *set;
    void *second_set;
    void *third_set;
    unsigned count;
    int fd;        /* of an epoll */
    bool may_ring; /* a timer may be among what it waits for */
    long answer;
};

#endif
