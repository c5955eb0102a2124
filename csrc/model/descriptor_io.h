/* One transfer through a channel, on the stack of the thread that makes it: the system call to make once it cannot block. */
#ifndef BPOR_DESCRIPTOR_IO_H
#define BPOR_DESCRIPTOR_IO_H
#include "model/channel.h"

struct transfer {
    int fd;
    bool tries;       /* does not wait: O_NONBLOCK or MSG_DONTWAIT */
    bool needs_empty; /* an eventfd that had no room for the number to add */
    short events;     /* of poll: when it can go on */
    long number;      /* the system call */
    long argument[6];
    long answer; /* the kernel's */
};
#endif
