/* Timers that are descriptors: see timer.c. */
#ifndef BPOR_TIMER_H
#define BPOR_TIMER_H
#include "model/poll.h"

enum { NEVER_RINGS = 0 };

/* If its time has come by `now`, it can be read, as often as it has come. */
void bpor_timer_ring(struct channel *timer, int fd, uint64_t now);
/* Whoever looks without waiting and in vain, perhaps again and again, waits for time to pass, as who reads a clock does
 * (intercept/time.c): each look lets half of what is left pass. */
void bpor_timer_seen_silent(struct thread *thread, uint64_t rings_at);
/* Of all that a call waits for: the first time that one rings, or UINT64_MAX; and those ring whose time has come. */
uint64_t bpor_timers_next(const struct poll_call *call);
void bpor_timers_ring(const struct poll_call *call, uint64_t now);
#endif
