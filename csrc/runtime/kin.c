/* Kin: see kin.h. Everything here is a function of the executed steps that happen before a thread's next one, never of an order
 * of independent steps: otherwise the reduction would be unsound. */
#include "runtime/kin.h"
#include "runtime/runtime.h"
#include <stdio.h>
#include <string.h>

/* Where memory is weak, more than what a thread has read decides what it may read next. */
static bool active(void)
{
    const struct bpor_config *config = &bpor->shared->config;
    bool strong = config->memory == BPOR_MEMORY_SC || config->memory == BPOR_MEMORY_AUTO;
    return config->symmetry != BPOR_SYMMETRY_OFF && strong && !bpor->unexplored;
}

/* Where it is known what holding threads back does: a fair bound counts who could run, a rotation who stands in it. */
static bool holds_back(void)
{
    const struct bpor_plan *plan = &bpor->plan;
    return (plan->fair_bound & plan->context_bound & plan->delta_bound) == BPOR_UNBOUNDED && plan->quantum == 0;
}

/* Creations of other threads in between make no difference, because they touch nothing. Anything else that the creator did in
 * between is in the past of the second thread and not in that of the first. */
void bpor_kin_created(struct thread *thread, struct thread *creator)
{
    if (!active())
        return;
    bool same = bpor->shared->config.symmetry == BPOR_SYMMETRY_SAME; /* else the user answers for what it gives to each */
    creator->kin.others += same && creator->kin.wrote;
    creator->kin.wrote = false;
    uint64_t group = bpor_mix(bpor_mix(creator->name, creator->kin.others), (uint64_t)thread->start);
    if (same)
        group = bpor_mix(group, (uint64_t)thread->argument);
    group = bpor_mix(bpor_mix(bpor_mix(group, thread->detached), thread->blocked_in_name), thread->now);
    for (unsigned i = 0; i < sizeof thread->given_name; i++)
        group = bpor_mix(group, (uint8_t)thread->given_name[i]);
    thread->kin.group = group ? group : 1;
    thread->kin.joiner = BPOR_NO_THREAD;
}

static bool same_operation(const struct operation *a, const struct operation *b)
{
    return a->kind == b->kind && a->site == b->site && a->accesses == b->accesses && !a->timed && !b->timed &&
           memcmp(a->access, b->access, a->accesses * sizeof a->access[0]) == 0;
}

static bool interchangeable(const struct thread *a, const struct thread *b)
{
    bool bounded = bpor->plan.preemption_bound != BPOR_UNBOUNDED;
    if (a->kin.group != b->kin.group || a->kin.apart || b->kin.apart || (bounded && a->steps + b->steps > 0))
        return false;
    return a->kin.seen == b->kin.seen && a->kin.outdated == b->kin.outdated && same_operation(&a->op, &b->op);
}

void bpor_kin_hold_back(void)
{
    if (!active())
        return;
    bpor->held_back = (thread_set){{0}};
    if (!holds_back())
        return;
    for (unsigned later = 0; later < bpor->threads; later++)
        for (unsigned earlier = 0; earlier < later && bpor->thread[later].kin.group && set_has(&bpor->enabled, later); earlier++)
            if (set_has(&bpor->enabled, earlier) && interchangeable(&bpor->thread[earlier], &bpor->thread[later])) {
                set_remove(&bpor->enabled, later);
                set_add(&bpor->held_back, later);
                bpor->shared->interchanged[earlier / 64] |= 1ull << earlier % 64;
                bpor->shared->interchanged[later / 64] |= 1ull << later % 64;
            }
}

static void outdate(struct kin *kin, const struct operation *op)
{
    for (unsigned i = 0; i < kin->reads; i++)
        if (bpor_conflict(&kin->read[i], 1, op->access, op->accesses))
            kin->outdated += bpor_mix(i + 1, kin->read[i].object);
}

static bool only_reads(const struct operation *op)
{
    bool reads =
        (op->kind == OP_READ || op->kind == OP_CAS) && op->accesses && op->offered == 0 && !(op->flags & BPOR_FLAG_YIELD);
    for (unsigned i = 0; i < op->accesses; i++)
        reads &= !op->access[i].write;
    return reads;
}

static void remember(struct kin *kin, const struct thread *thread)
{
    const struct operation *op = &thread->op;
    kin->apart |= !only_reads(op) || kin->reads + op->accesses > KIN_READS;
    if (kin->apart)
        return;
    kin->seen = bpor_mix(bpor_mix(bpor_mix(kin->seen + 1, op->kind), op->site), op->value);
    for (unsigned i = 0; i < op->accesses; i++) {
        kin->seen = bpor_mix(kin->seen, op->access[i].object);
        kin->read[kin->reads++] = op->access[i];
    }
}

static __attribute__((noreturn)) void refuse(const struct thread *one, const struct thread *other, const char *how)
{
    struct bpor_end *end = &bpor->shared->end;
    snprintf(end->message, sizeof end->message, "--symmetry: T%u and T%u started alike, but %s: leave --symmetry out", one->id,
             other->id, how);
    bpor_end_with_stack(BPOR_OUTCOME_REFUSED, 0, end->message);
}

/* One that started alike and that `who` has not joined, or NULL. */
static const struct thread *left_out(const struct thread *joined, uint16_t who)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *other = &bpor->thread[i];
        if (other != joined && other->kin.group == joined->kin.group && other->kin.joiner != who)
            return other;
    }
    return NULL;
}

/* A join has no effect of its own: if all kin are joined one after the other, it makes no difference in which order they ended.
 */
static void gather(struct thread *thread, struct thread *joined)
{
    if (joined->kin.group == 0)
        return;
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *other = &bpor->thread[i];
        if (other->kin.group == joined->kin.group && other->joined && other->value != joined->value)
            refuse(joined, other, "returned different values to their joiner");
    }
    joined->kin.joiner = thread->id;
    thread->kin.gathers = true;
}

static void finish_gathering(struct thread *thread)
{
    for (unsigned i = 0; thread->kin.gathers && i < bpor->threads; i++) {
        const struct thread *joined = &bpor->thread[i];
        bool by_thread = joined->kin.group && joined->kin.joiner == thread->id;
        const struct thread *other = by_thread ? left_out(joined, thread->id) : NULL;
        if (other)
            refuse(joined, other, "their joiner goes on before it has joined both");
    }
    thread->kin.gathers = false;
}

void bpor_kin_step(struct thread *thread)
{
    const struct operation *op = &thread->op;
    if (!active())
        return;
    if (op->kind == OP_JOIN)
        gather(thread, &bpor->thread[op->target]);
    else
        finish_gathering(thread);
    thread->kin.others += op->kind != OP_SPAWN;
    for (unsigned i = 0; i < bpor->threads; i++)
        outdate(&bpor->thread[i].kin, op);
    if (thread->kin.group && !thread->kin.apart)
        remember(&thread->kin, thread);
}

void bpor_kin_named(const struct thread *thread)
{
    const struct thread *other =
        active() && thread && thread != bpor_self && thread->kin.group ? left_out(thread, thread->id) : NULL;
    if (other)
        refuse(thread, other, "the handle of one is used for more than a join");
}

void bpor_kin_goes_on(struct thread *thread)
{
    if (active())
        finish_gathering(thread);
}

/* Somebody waits in a join of one of them while another ends the process: nobody saw what the joiner would have done. */
void bpor_kin_process_ends(void)
{
    for (unsigned i = 0; active() && i < bpor->threads; i++) {
        const struct thread *waiting = &bpor->thread[i];
        bool joins = waiting->state == THREAD_WAITING && waiting->op.kind == OP_JOIN && waiting->op.target < bpor->threads;
        const struct thread *joined = joins ? &bpor->thread[waiting->op.target] : NULL;
        const struct thread *other = joined && joined->kin.group ? left_out(joined, waiting->id) : NULL;
        if (other)
            refuse(joined, other, "the process ends while only some of them are joined");
    }
}
