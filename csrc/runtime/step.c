/* The one scheduling point: publish the pending operation, choose, hand over, and when chosen perform the operation on the model.
 */
#include "carrier/carrier.h"
#include "loops/circle.h"
#include "machine/filter.h"
#include "memory/memory.h"
#include "model/rules.h"
#include "process/family.h"
#include "python/changes.h"
#include "python/gil.h"
#include "python/references.h"
#include "race/race.h"
#include "runtime/debugger.h"
#include "runtime/late.h"
#include "runtime/lifetimes.h"
#include "runtime/objects.h"
#include "runtime/runtime.h"
#include "trust/trust.h"
#include "weak/weak.h"
#include <string.h>

struct operation *bpor_operation(enum operation_kind kind, const void *site)
{
    bpor_late_make();
    return bpor_operation_before_late(kind, site);
}

struct operation *bpor_operation_before_late(enum operation_kind kind, const void *site)
{
    struct operation *op = &bpor_self->op;
    op->kind = (uint8_t)kind;
    op->flags = 0;
    op->accesses = 0;
    op->timed = op->by_timeout = op->circles = op->moves = op->counts = false;
    op->target = BPOR_NO_THREAD;
    op->offered = 0;
    op->source = 0;
    op->site = (uint64_t)site;
    op->value = op->deadline = 0;
    op->object = op->second = NULL;
    op->argument = 0;
    return op;
}

void bpor_touch(struct operation *op, uint64_t object, uint32_t size, bool write)
{
    if (op->accesses == BPOR_MAX_ACCESSES)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "one call touches more than 64 objects");
    op->access[op->accesses++] = (struct bpor_access){object, size, write};
}

void bpor_touch_object(struct operation *op, struct object *object, bool write)
{
    if (op->object == NULL)
        op->object = object;
    else if (op->second == NULL)
        op->second = object;
    bpor_touch(op, object->id, 1, write);
}

/* A failed try where the thread has failed before is a yield: it waits in a loop (circle.h). */
void bpor_mark_failed(struct thread *thread)
{
    struct operation *op = &thread->op;
    op->flags |= BPOR_FLAG_FAILED;
    bpor_circle_mark(thread, op->timed ? LOOK_AT_CALLS : LOOK_AT_FRAME);
    if (op->flags & BPOR_FLAG_YIELD)
        op->flags |= BPOR_FLAG_INFERRED;
}

static void join_time(struct thread *thread, struct object *object, bool write)
{
    if (object == NULL)
        return;
    if (thread->now < object->write_time)
        thread->now = object->write_time;
    if (write && thread->now < object->read_time)
        thread->now = object->read_time;
}

static void leave_time(struct thread *thread, struct object *object, bool write)
{
    if (object == NULL)
        return;
    uint64_t *mark = write ? &object->write_time : &object->read_time;
    if (*mark < thread->now)
        *mark = thread->now;
}

/* Virtual time flows along happens-before edges only, so equivalent executions read equal clocks. */
static void pass_time(struct thread *thread, void (*pass)(struct thread *, struct object *, bool))
{
    const struct operation *op = &thread->op;
    if (op->accesses > 0)
        pass(thread, op->object, op->access[0].write);
    if (op->accesses > 1)
        pass(thread, op->second, op->access[1].write);
}

static void hash_step(const struct thread *thread)
{
    const struct operation *op = &thread->op;
    uint64_t hash = bpor_mix(bpor->hash, (uint64_t)thread->id << 8 | op->kind);
    for (unsigned i = 0; i < op->accesses; i++)
        hash = bpor_mix(hash, op->access[i].object * 4 + op->access[i].write);
    for (unsigned i = 0; i < set_words(); i++)
        hash = bpor_mix(hash, bpor->enabled.word[i]);
    if (bpor->alternative)
        hash = bpor_mix(hash, bpor->alternative);
    bpor->hash = hash;
}

/* The operation itself: what it does to the model, to time and to who has seen what. */
static void act(struct thread *thread)
{
    struct operation *op = &thread->op;
    thread->state = THREAD_RUNNING;
    thread->result = 0;
    if (bpor_properties(op->kind) & YIELDS)
        op->flags |= BPOR_FLAG_CUT;
    op->by_timeout = set_has(&bpor->timed, thread->id);
    pass_time(thread, join_time);
    bpor->performing = true;
    if (bpor_lifetime_over(thread)) {
        bpor_lifetime_report(thread);
    } else {
        if (bpor_rules[op->kind].perform)
            bpor_rules[op->kind].perform(thread);
        bpor_lifetime_step(thread);
        bpor_race_step(thread);
        if (bpor_weak)
            bpor_weak_step(thread);
        bpor_spin_step(thread);
        bpor_plain_spin_step(thread);
    }
    bpor->performing = false;
    pass_time(thread, leave_time);
}

/* Of a thread that goes round with nothing changed while no other makes a step. */
static void count_rounds(const struct thread *thread)
{
    const struct operation *op = &thread->op;
    if (bpor->last != thread->id)
        bpor->alone_in_circles = 0;
    if (op->flags & BPOR_FLAG_YIELD)
        bpor->alone_in_circles = op->circles && !op->moves && !op->counts ? bpor->alone_in_circles + 1 : 0;
}

/* The step is on record: part of the schedule, of the hash and of what the controller knows. */
static void record(struct thread *thread)
{
    if (bpor->alternative && bpor->alternative >= thread->op.offered)
        bpor_end(BPOR_OUTCOME_DIVERGED, (int)bpor->steps, "the alternative that should be taken is not offered");
    hash_step(thread);
    bpor_emit_step(thread);
    bpor_filter_sleepers(thread);
    count_rounds(thread);
    bpor->last = thread->id;
    bpor->last_cut = thread->op.flags & BPOR_FLAG_CUT;
    bpor->steps++;
    thread->steps++;
    bpor_kin_step(thread);
}

/* libc itself may fail on an object whose bytes somebody has written over. */
void bpor_step_crashes(void)
{
    if (!bpor->performing || bpor->unexplored)
        return;
    bpor->performing = false;
    record(bpor_self);
}

/* A step of the schedule: acted, counted and told. */
static void perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    bpor_debugger_before_step();
    bpor_account(thread);
    act(thread);
    if (bpor_trusts)
        bpor_trust_keep(thread);
    bpor_circle_mark_polling(thread);
    if (op->flags & BPOR_FLAG_YIELD) {
        if (!op->moves && !op->counts) /* leaving a thread that counts its rounds is not free, because the thread did not yield */
            op->flags |= BPOR_FLAG_CUT;
        thread->yields++;
        thread->yielded_at = op->site;
        thread->circles = op->circles;
        thread->moves = op->moves;
        thread->counts = op->counts;
    }
    record(thread);
    bpor_end_if_faulty();
}

void bpor_announce(struct thread *thread)
{
    thread->state = THREAD_WAITING;
    bpor_emit_pending(thread);
}

void bpor_hand_over(struct thread *from, struct thread *to)
{
    bpor_filter_forget();
    if (bpor_changes_any)
        bpor_changes_leave();
    bpor_gil_let_go(from);
    bpor_carrier->switch_to(from, to);
    bpor_gil_take_back(from);
    if (bpor_changes_any)
        bpor_changes_return();
}

/* The calls of a step leave bytes below the stack pointer, and later frames may cover those bytes without writing all of them. */
static __attribute__((noinline)) void clear_below(void)
{
    uint8_t left[4096];
    memset(left, 0, sizeof left);
    __asm__ volatile("" : : "r"(left) : "memory");
}

/* Of trusted code: part of the thread's last step. */
static int act_unseen(struct thread *self)
{
    self->shielded = true;
    bpor->alternative = 0;
    act(self);
    bpor_end_if_faulty();
    bpor_trust_done(self);
    self->shielded = false;
    return self->result;
}

int bpor_step(void)
{
    struct thread *self = bpor_self;
    bpor_reference_settle_at_step();
    bpor_spin_settle(self);
    bpor_filter_forget();
    if (bpor_trusts && bpor_trust_unseen(self))
        return act_unseen(self);
    if (bpor_states_are_known()) {
        bpor_context_note(&self->parked); /* before this function has anything of its own to remember */
        bpor_control_state_save(&self->parked.control);
        bpor_plain_spin_rest(self);
    }
    bpor_family_check();
    bool starting = self->state == THREAD_STARTING;
    self->shielded = true;
    bpor_announce(self);
    if (starting) {
        /* A new thread runs to its first operation inside its creator's step, then hands back. */
        bpor_hand_over(self, &bpor->thread[self->creator]);
    } else {
        struct thread *next = bpor_choose();
        if (next != self)
            bpor_hand_over(self, next);
    }
    if (bpor->unexplored) {
        act(self);
        bpor_end_if_faulty();
    } else {
        perform(self);
    }
    self->shielded = false;
    int result = self->result;
    if (bpor_clears_stacks) {
        bpor_context_clear_wide();
        clear_below();
        bpor_context_clear();
    }
    return result;
}
