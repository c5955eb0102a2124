/* Signal masks of fibers. The kernel's mask belongs to the thread that runs; the masks of the others are saved when they are
 * switched out. libc changes the mask without calling us (siglongjmp, the start of a handler), so it is read from the kernel and
 * not tracked; but only in programs that use signals, because reading it costs more than a switch.
 *
 * Three signals are never blocked: those of the watchdog, of the guard, and of breakpoint instructions in patched code. */
#define _GNU_SOURCE
#include "carrier/masks.h"
#include "machine/machine.h"
#include "runtime/sys.h"

static bool vary;

static uint64_t bit(int number)
{
    return 1ull << (number - 1);
}

static uint64_t kernel_mask(void)
{
    uint64_t mask = 0;
    sys_call4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, sizeof mask);
    return mask;
}

uint64_t bpor_mask_open(void)
{
    return bit(WATCHDOG_SIGNAL) | bit(SIGSYS) | (bpor_machine_traps() ? bit(SIGTRAP) : 0);
}

void bpor_masks_vary(void)
{
    vary = true;
}

static uint64_t changed(int how, uint64_t old, uint64_t set)
{
    return how == SIG_BLOCK ? old | set : how == SIG_UNBLOCK ? old & ~set : set;
}

/* That are pending for the process. */
static uint64_t kernel_pending(void)
{
    uint64_t pending = 0;
    sys_call3(SYS_rt_sigpending, &pending, sizeof pending, 0);
    return pending;
}

uint64_t bpor_mask_brings(int how, const sigset_t *set)
{
    if (bpor_self == NULL || set == NULL)
        return 0;
    uint64_t blocked = changed(how, kernel_mask() | bpor_self->blocked_in_name, set->__val[0]);
    return bpor_mask_pending(bpor_self, ~blocked);
}

void bpor_mask_hold_back(struct thread *thread, int number)
{
    thread->waiting_signals |= bit(number);
    if (number >= FIRST_QUEUED)
        thread->waiting_times[number - FIRST_QUEUED]++;
}

void bpor_mask_take(struct thread *thread, int number)
{
    if (number < FIRST_QUEUED || --thread->waiting_times[number - FIRST_QUEUED] == 0)
        thread->waiting_signals &= ~bit(number);
}

static void deliver(struct thread *self)
{
    for (int number = 1; self->waiting_signals && number <= LAST_SIGNAL; number++)
        while (self->waiting_signals & bit(number) && !bpor_mask_blocks(number)) {
            bpor_mask_take(self, number);
            bpor_mask_send(number);
        }
}

int bpor_mask_change(int (*real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old)
{
    struct thread *self = bpor_self;
    if (self == NULL)
        return real(how, set, old);
    const uint64_t open = bpor_mask_open(), before = self->blocked_in_name;
    sigset_t passed;
    if (set) {
        bpor_masks_vary();
        passed = *set;
        passed.__val[0] &= how == SIG_UNBLOCK ? ~0ull : ~open;
    }
    int error = real(how, set ? &passed : NULL, old);
    if (error)
        return error;
    if (old)
        old->__val[0] |= before;
    if (set) {
        self->blocked_in_name = changed(how, before, set->__val[0]) & open;
        deliver(self);
    }
    return 0;
}

bool bpor_mask_blocks(int number)
{
    return (kernel_mask() | bpor_self->blocked_in_name) & bit(number);
}

bool bpor_mask_blocks_in(const struct thread *thread, int number)
{
    if (thread == bpor_self)
        return bpor_mask_blocks(number);
    bool finds = thread->state == THREAD_WAITING && thread->op.kind == OP_SIGNAL_WAIT;
    uint64_t blocked = thread->signal_mask | thread->blocked_in_name;
    return finds ? (blocked | thread->let_in) & bit(number) : blocked & ~thread->let_in & bit(number);
}

bool bpor_mask_opens_elsewhere(int number)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *other = &bpor->thread[i];
        if (other != bpor_self && other->state != THREAD_FINISHED && !bpor_mask_blocks_in(other, number))
            return true;
    }
    return false;
}

uint64_t bpor_mask_pending(const struct thread *thread, uint64_t wanted)
{
    return (thread->waiting_signals | kernel_pending()) & wanted;
}

void bpor_mask_send(int number)
{
    if (bpor_mask_blocks(number))
        bpor_mask_hold_back(bpor_self, number);
    else
        sys_call3(SYS_tgkill, sys_getpid(), sys_gettid(), number);
}

void bpor_mask_add_pending(sigset_t *set)
{
    set->__val[0] |= bpor_self->waiting_signals;
}

void bpor_mask_inherit(struct thread *thread, const struct thread *creator)
{
    thread->signal_mask = vary ? kernel_mask() : creator->signal_mask;
}

void bpor_mask_give(struct thread *thread, const sigset_t *mask)
{
    bpor_masks_vary();
    thread->signal_mask = mask->__val[0] & ~bpor_mask_open();
    thread->blocked_in_name = mask->__val[0] & bpor_mask_open();
}

void bpor_mask_save(struct thread *from)
{
    if (vary)
        from->signal_mask = kernel_mask();
}

void bpor_mask_restore(const struct thread *to)
{
    if (vary)
        sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, &to->signal_mask, 0, sizeof to->signal_mask);
}
