/* Waiting for descriptors: shared by poll, select and epoll. */
#ifndef BPOR_INTERCEPT_POLL_H
#define BPOR_INTERCEPT_POLL_H
#include "model/poll.h"

/* The step: `timeout` in nanoseconds, NULL for ever. -1 and errno as libc answers. */
long bpor_poll_wait(struct poll_call *call, struct operation *op, const uint64_t *timeout);
#endif
