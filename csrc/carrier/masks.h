/* Signal masks and pending signals, thread by thread: fibers share those that the kernel keeps (masks.c). */
#ifndef BPOR_MASKS_H
#define BPOR_MASKS_H
#include "runtime/runtime.h"
#include <signal.h>

/* The target may have changed a mask, or may run a handler, which changes the mask too. From now on a mask is kept for each
 * thread. */
void bpor_masks_vary(void);
/* pthread_sigmask as the target sees it, by way of libc's. */
int bpor_mask_change(int (*real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old);
/* Which signals, bit n - 1, would come if the mask were changed so. */
uint64_t bpor_mask_brings(int how, const sigset_t *set);
bool bpor_mask_blocks(int number);
/* Likewise of another thread, or of all others; not while one of them waits with a mask of that moment. Kernel threads' masks are
 * not known here: they may be open. */
bool bpor_mask_blocks_in(const struct thread *thread, int number);
bool bpor_mask_opens_elsewhere(int number);
/* Of these, bit n - 1, which are pending for a thread? */
uint64_t bpor_mask_pending(const struct thread *thread, uint64_t wanted);
/* Signals that always come through, bit n - 1: a thread blocks them in name only. */
uint64_t bpor_mask_open(void);
/* The running thread sends itself a signal, which waits for as long as the thread blocks it. */
void bpor_mask_send(int number);
/* A signal for a thread that blocks it, and the one that is taken without a handler. */
void bpor_mask_hold_back(struct thread *thread, int number);
void bpor_mask_take(struct thread *thread, int number);
/* Adds what waits for the running thread. */
void bpor_mask_add_pending(sigset_t *set);

/* For a carrier that runs many threads on one kernel thread. */
void bpor_mask_inherit(struct thread *thread, const struct thread *creator);
/* Instead of that, the one that its attributes have. */
void bpor_mask_give(struct thread *thread, const sigset_t *mask);
void bpor_mask_save(struct thread *from);
void bpor_mask_restore(const struct thread *to);
#endif
