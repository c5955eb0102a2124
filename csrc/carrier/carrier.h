/* The interface between scheduling and what executes a thread: a kernel thread (kernel_threads.c) or a fiber (fibers.c). No other
 * part of the runtime knows which of the two is used. */
#ifndef BPOR_CARRIER_H
#define BPOR_CARRIER_H
#include "runtime/runtime.h"

struct carrier {
    /* Makes a thread that waits for its first switch. An error number, or 0. */
    int (*create)(struct thread *thread, const pthread_attr_t *attributes);
    /* Returns when somebody switches back. */
    void (*switch_to)(struct thread *from, struct thread *to);
    /* The thread is over: never returns. */
    void (*leave)(struct thread *from, struct thread *to);
};

extern const struct carrier bpor_kernel_threads;
extern const struct carrier bpor_fibers;
extern const struct carrier *bpor_carrier;

/* The body of every thread, whoever carries it. */
void bpor_carried(struct thread *thread);
/* Makes the fibers that will be needed; before the first execution. NULL, or why there can be none. */
const char *bpor_fibers_prepare(unsigned count);
/* Kernel threads of ours that are parked for good. */
unsigned bpor_fibers_parked(void);
/* The memory that we lent to the thread, its stack and above that what libc keeps for it, thread-local memory included. */
bool bpor_fibers_lent(const struct thread *thread, uintptr_t *low, uintptr_t *end);
#endif
