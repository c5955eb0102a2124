/* The fiber carrier: one kernel thread executes all controlled threads. A pool of real threads is created once; each of them
 * lends its stack and its thread-local storage to a fiber and sleeps for ever. Code therefore runs with a valid stack and valid
 * thread-locals, and a switch costs tens of nanoseconds.
 *
 * Invariant: a slot of the pool is used at most once per execution; the reset before the next execution restores it (fork or
 * rollback). */
#define _GNU_SOURCE
#include "arch/x86_64/context.h"
#include "carrier/carrier.h"
#include "carrier/masks.h"
#include "carrier/signals.h"
#include "reset/guard.h"
#include "runtime/real.h"
#include "runtime/reserve.h"
#include "runtime/sys.h"
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { GUARD = 4096, LENT_STACK_MARGIN = 4096, WARM_BYTES = 64 };

enum slot_state { MADE, LENT, GIVEN_UP };

static struct slot {
    pthread_t handle;
    uint64_t thread_pointer;
    uintptr_t stack_top;
    uintptr_t stack_low;
    uintptr_t end;  /* of the stack and of what libc keeps above it, thread-local memory included */
    uint32_t ready; /* enum slot_state */
} * slot;
static unsigned slots;
static unsigned used;
static struct thread *starting;

static void tell(struct slot *one, uint32_t state)
{
    __atomic_store_n(&one->ready, state, __ATOMIC_RELEASE);
    sys_call3(SYS_futex, &one->ready, FUTEX_WAKE_PRIVATE, 1);
}

/* Who will run on it, as a rule: behind the main thread, threads take the slots in order. It stands there before the first
 * execution already, so that the page of thread-local memory need not be put back after each. */
static struct thread *first_user(const struct slot *one)
{
    size_t number = 1 + (size_t)(one - slot);
    return number < BPOR_MAX_THREADS ? &bpor->thread[number] : NULL;
}

static void *lend(void *argument)
{
    struct slot *mine = argument;
    sigset_t all;
    free(malloc(WARM_BYTES)); /* its allocator cache exists from now on: the same in every execution */
    mine->thread_pointer = (uint64_t)__builtin_thread_pointer();
    mine->stack_top = (uintptr_t)__builtin_frame_address(0) - LENT_STACK_MARGIN;
    bpor_self = first_user(mine);
    sigfillset(&all);
    REAL(pthread_sigmask)(SIG_SETMASK, &all, NULL);
    tell(mine, LENT);
    while (__atomic_load_n(&mine->ready, __ATOMIC_ACQUIRE) == LENT)
        sys_call4(SYS_futex, &mine->ready, FUTEX_WAIT_PRIVATE, LENT, 0);
    return NULL; /* the pool is given up before its first use */
}

static bool make_slot(struct slot *new_slot)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (REAL(pthread_create)(&new_slot->handle, NULL, lend, new_slot) != 0)
        return false;
    while (__atomic_load_n(&new_slot->ready, __ATOMIC_ACQUIRE) == MADE)
        sys_call4(SYS_futex, &new_slot->ready, FUTEX_WAIT_PRIVATE, MADE, 0);
    if (REAL(pthread_getattr_np)(new_slot->handle, &attributes) == 0) {
        pthread_attr_getstack(&attributes, &low, &bytes);
        new_slot->stack_low = (uintptr_t)low;
        new_slot->end = (uintptr_t)low + bytes;
        pthread_attr_destroy(&attributes);
    }
    slots++;
    return true;
}

/* The program's own threads need the room. */
static void give_up(void)
{
    while (slots > 0) {
        struct slot *last = &slot[--slots];
        tell(last, GIVEN_UP);
        REAL(pthread_join)(last->handle, NULL);
    }
}

/* How large stacks are is up to the user (ulimit -s). What the program maps lies below those of the pool, and it is to lie at the
 * same addresses whatever the limit is, because a failure may depend on them: so all stacks together have the room of large ones.
 * Elsewhere than right below them, where the kernel would align it, the filling would leave a hole. */
static void fill_up_room(unsigned count)
{
    const size_t room = (size_t)64 << 20, bytes = slot[0].end - slot[0].stack_low;
    const size_t rest = bytes < room ? count * (room - bytes) : 0;
    uintptr_t low = slot[0].stack_low;
    for (unsigned i = 1; i < count; i++)
        low = slot[i].stack_low < low ? slot[i].stack_low : low;
    if (rest)
        sys_call6(SYS_mmap, (long)(low - GUARD - rest), (long)rest, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

const char *bpor_fibers_prepare(unsigned count)
{
    const char *problem = bpor_context_problem();
    if (problem)
        return problem;
    slot = bpor_reserve(sizeof *slot * count);
    for (unsigned i = 0; i < count; i++)
        if (!make_slot(&slot[i])) {
            give_up();
            return "a pool of threads cannot be made here (a limit on processes or on memory?)";
        }
    if (count)
        fill_up_room(count);
    return NULL;
}

unsigned bpor_fibers_parked(void)
{
    return slots;
}

bool bpor_fibers_lent(const struct thread *thread, uintptr_t *low, uintptr_t *end)
{
    for (unsigned i = 0; i < used; i++)
        if (slot[i].handle == thread->handle) {
            *low = slot[i].stack_low;
            *end = slot[i].end;
            return true;
        }
    return false;
}

/* The first frame of a fiber, on its slot's stack. */
static void entry(void)
{
    struct thread *thread = starting;
    if (bpor_self != thread)
        bpor_self = thread; /* else nothing is written: see first_user */
    bpor_mask_restore(thread);
    bpor_carried(thread);
    __builtin_unreachable();
}

/* A stack that is larger than those of the pool gets a mapping of its own, which disappears with the execution. Its lowest page
 * stays inaccessible, so that an overflow causes a fault. */
static void *map_stack(size_t bytes)
{
    long start = sys_call6(SYS_mmap, 0, (long)(GUARD + bytes), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (start < 0 && start > -GUARD)
        return NULL;
    bpor_guard_remember_mapping((void *)start, GUARD + bytes);
    sys_call3(SYS_mprotect, start, GUARD, PROT_NONE);
    return (void *)(start + GUARD);
}

/* A stack of the program's own, or the slot's. */
static uintptr_t choose_stack(struct thread *thread, const struct slot *lent, const pthread_attr_t *attributes)
{
    void *low = NULL;
    size_t bytes = 0;
    thread->stack_low = lent->stack_low;
    thread->stack_top = lent->stack_top;
    if (attributes == NULL || pthread_attr_getstack(attributes, &low, &bytes) != 0)
        return lent->stack_top;
    if ((uintptr_t)low + bytes == 0)
        low = NULL; /* none was given: libc puts the end of it at address 0 */
    thread->stack_is_programs = low != NULL;
    if (low == NULL && bytes > lent->stack_top - lent->stack_low)
        low = map_stack(bytes);
    if (low == NULL)
        return lent->stack_top;
    thread->stack_low = (uintptr_t)low;
    thread->stack_top = (uintptr_t)low + bytes;
    return thread->stack_top;
}

static int create(struct thread *thread, const pthread_attr_t *attributes)
{
    if (used == slots)
        bpor_end(BPOR_OUTCOME_MORE_SLOTS, (int)slots, "");
    const struct slot *lent = &slot[used++];
    thread->handle = lent->handle;
    uintptr_t top = choose_stack(thread, lent, attributes);
    thread->stack_bytes = top - thread->stack_low;
    bpor_mask_inherit(thread, bpor_self);
    sigset_t mask;
    if (attributes && pthread_attr_getsigmask_np(attributes, &mask) == 0)
        bpor_mask_give(thread, &mask);
    thread->kernel_id = bpor_self->kernel_id;
    bpor_context_make(&thread->context, (void *)top, lent->thread_pointer, entry);
    return 0;
}

static void switch_to(struct thread *from, struct thread *to)
{
    if (to->state == THREAD_STARTING)
        starting = to;
    bpor_mask_save(from);
    if (from->alternate.chosen || to->alternate.chosen)
        bpor_signals_prepare_thread(to);
    bpor_context_switch(&from->context, &to->context);
    bpor_mask_restore(from); /* here, not before: a signal that was held back must find its own thread */
}

const struct carrier bpor_fibers = {.create = create, .switch_to = switch_to, .leave = switch_to};
