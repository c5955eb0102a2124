/* Threads of the target. Start and end are not steps: a new thread runs to its first operation inside its creator's step, and
 * its end belongs to its last step. */
#define _GNU_SOURCE
#include "beside/search.h"
#include "carrier/carrier.h"
#include "carrier/destructors.h"
#include "machine/filter.h"
#include "process/aliases.h"
#include "python/changes.h"
#include "race/race.h"
#include "runtime/late.h"
#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include "weak/weak.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { DEFAULT_GUARD = 4096 };

static struct thread *new_thread(struct thread *creator)
{
    if (bpor->threads == BPOR_MAX_THREADS)
        bpor_refuse("pthread_create", "more than 1016 threads in one execution; make the test smaller");
    if (creator)
        bpor_aliases_refuse();
    if (bpor->threads == BPOR_TREE_THREADS && bpor_search_active())
        bpor_end(BPOR_OUTCOME_UNFIT, 0, "more than 64 threads in one execution are too many for the search beside the program");
    if (bpor->threads == bpor_clock_width)
        bpor_end(BPOR_OUTCOME_MORE_SLOTS, 0, "");
    struct thread *thread = &bpor->thread[bpor->threads];
    memset(thread, 0, sizeof *thread);
    thread->id = bpor->threads++;
    thread->creator = creator ? creator->id : BPOR_NO_THREAD;
    thread->name = creator ? bpor_mix(creator->name, ++creator->children) : 1;
    thread->now = creator ? creator->now : 0;
    thread->yields = creator ? creator->yields : 0; /* erratum E30: else it would keep its creator from going on */
    thread->blocked_in_name = creator ? creator->blocked_in_name : 0;
    if (creator)
        memcpy(thread->given_name, creator->given_name, sizeof thread->given_name);
    else
        sys_call3(SYS_prctl, PR_GET_NAME, thread->given_name, 0);
    thread->state = THREAD_STARTING;
    thread->shielded = true;
    bpor_race_thread_created(thread, creator);
    if (bpor_weak && creator)
        bpor_weak_thread_created(thread, creator);
    return thread;
}

/* The thread that reached the fork point is thread 0. */
void bpor_thread_adopt_main(void)
{
    struct rlimit limit = {8 << 20, 8 << 20};
    struct thread *thread = new_thread(NULL);
    sys_call3(SYS_getrlimit, RLIMIT_STACK, &limit, 0);
    uintptr_t size = limit.rlim_cur > (64u << 20) ? 64u << 20 : limit.rlim_cur;
    thread->handle = pthread_self();
    thread->context.thread_pointer = (uint64_t)__builtin_thread_pointer();
    thread->stack_top = (uintptr_t)__builtin_frame_address(0);
    thread->stack_low = thread->stack_top - size;
    bpor_self = thread;
}

void bpor_thread_begin(struct thread *thread)
{
    struct thread *creator = bpor_self;
    creator->shielded = true;
    bpor_hand_over(creator, thread);
    creator->shielded = false;
}

/* Under a limit of the address space a thread may fail to be created because of our own tables: not the program's fault. */
static void refuse_if_crowded_out(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    sys_call3(SYS_getrlimit, RLIMIT_AS, &limit, 0);
    if (limit.rlim_cur != RLIM_INFINITY)
        bpor_refuse("pthread_create", "the address space limit (ulimit -v) leaves no room for another thread beside the runtime");
}

int bpor_thread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument,
                       const void *site)
{
    struct thread *self = bpor_self;
    if (!bpor_late_needed()) {
        struct operation *op = bpor_operation(OP_SPAWN, site);
        op->target = bpor->threads; /* the creation that follows at once: nobody else runs in between */
        bpor_step();
    }
    self->shielded = true;
    struct thread *thread = new_thread(self);
    int detached = PTHREAD_CREATE_JOINABLE;
    thread->guard_bytes = DEFAULT_GUARD;
    if (attributes) {
        pthread_attr_getdetachstate(attributes, &detached);
        pthread_attr_getguardsize(attributes, &thread->guard_bytes);
    }
    thread->detached = detached == PTHREAD_CREATE_DETACHED;
    thread->start = start;
    thread->argument = argument;
    if (!bpor_late_needed())
        bpor_kin_created(thread, self);
    int error = bpor_carrier->create(thread, attributes);
    self->shielded = false;
    if (error) {
        bpor->threads--;
        refuse_if_crowded_out();
        return error;
    }
    *handle = thread->handle;
    bpor->shared->threads_made = 1;
    if (bpor_late_needed())
        bpor_late_add(OP_SPAWN, thread, site);
    else
        bpor_thread_begin(thread);
    return 0;
}

struct thread *bpor_thread_of(pthread_t handle)
{
    for (unsigned i = bpor->threads; i-- > 0;)
        if (bpor->thread[i].handle == handle)
            return &bpor->thread[i];
    return NULL;
}

int bpor_thread_join(pthread_t handle, void **value, const void *site)
{
    struct thread *target = bpor_thread_of(handle);
    if (target == NULL)
        bpor_misuse("join of something that is not a thread");
    if (target == bpor_self)
        return EDEADLK;
    if (target->detached)
        bpor_misuse("join of thread T%u, which is detached", target->id);
    if (target->joined)
        bpor_misuse("thread T%u is joined twice", target->id);
    bpor_operation(OP_JOIN, site)->target = target->id;
    bpor_step();
    if (value)
        *value = target->value;
    return 0;
}

int bpor_thread_detach(pthread_t handle, const void *site)
{
    struct thread *target = bpor_thread_of(handle);
    if (target == NULL)
        bpor_misuse("detach of something that is not a thread");
    bpor_kin_named(target);
    if (bpor_late_needed()) {
        bpor_late_add(OP_DETACH, target, site);
        return 0;
    }
    bpor_operation(OP_DETACH, site)->target = target->id;
    bpor_step();
    return 0;
}

static bool all_finished(void)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (bpor->thread[i].state != THREAD_FINISHED)
            return false;
    return true;
}

/* The thread is over, by return or by pthread_exit: run what it left to run, under control, then hand over for good. */
void bpor_thread_finish(struct thread *thread)
{
    bpor_late_make();
    bpor_run_thread_destructors();
    bpor_thread_abandon_mutexes(thread);
    if (bpor_changes_any)
        bpor_changes_look();
    bpor_thread_announce_end(thread);
    bpor_kin_goes_on(thread);
    bpor_race_thread_ended(thread);
    thread->shielded = true;
    bool starting = thread->state == THREAD_STARTING;
    thread->state = THREAD_FINISHED;
    if (all_finished()) {
        /* Main ended by pthread_exit before: the last thread ends the process. */
        thread->state = THREAD_RUNNING;
        thread->shielded = false;
        REAL(exit)(0);
    }
    bpor_emit_finished(thread);
    bpor_filter_forget(); /* who goes on has accessed nothing yet */
    bpor_carrier->leave(thread, starting ? &bpor->thread[thread->creator] : bpor_choose());
}
