/* Alternatives: a step may have several outcomes, such as a load that may see an old store. The search runs the thread with each
 * of them in turn; the thread is done, and sleeps, only after the last one. While it sleeps, a conflict with any of the outcomes
 * wakes it. */
#include "engine/tree.h"

unsigned choice_of(unsigned thread, unsigned alternative)
{
    return thread + alternative * BPOR_ALTERNATIVE;
}

static bool is_weak(unsigned kind)
{
    return kind == OP_READ || kind == OP_WRITE || kind == OP_RMW || kind == OP_CAS;
}

/* The bound of old values counts what weak memory offers, nothing else. */
static bool allows(const struct tree *tree, const struct frame *frame)
{
    const struct announced *operation = history_operation(tree, frame->chosen);
    return !operation || !is_weak(operation->kind) || frame->stale < tree->order.stale_bound;
}

/* The thread chosen at a frame, the top of the stack, is about to make a step that may go so many ways. True: the bound refuses
 * all but the first; they cost the same. */
bool alternatives_offered(const struct tree *tree, struct frame *frame, unsigned offered)
{
    if (frame->alternative)
        return false;
    bool refused = offered > 1 && !allows(tree, frame);
    frame->alternatives = offered && !refused ? (uint8_t)offered : 1;
    return refused;
}

/* A step led from `before` to a new state, by one of the alternatives that it had. */
void alternatives_step(const struct tree *tree, const struct frame *before, struct frame *frame, const struct told_step *step)
{
    const struct pushed *pushed = &tree->step[tree->depth - 1];
    bool weak = step->alternative && is_weak(tree->operation[pushed->operation_before - 1].kind);
    frame->stale = before->stale + weak;
}

/* Has the thread being tried at the top of the stack an alternative left? Then it is the next choice. */
bool alternatives_next(struct tree *tree, struct frame *frame)
{
    if (frame->chosen == NO_THREAD || frame->alternative + 1 >= frame->alternatives)
        return false;
    if (tree->sleeps)
        sleep_go_on(tree, frame);
    frame->alternative++;
    return true;
}
