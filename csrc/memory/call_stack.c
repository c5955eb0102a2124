/* The shadow call stack: which instrumented calls a thread is in, from the callbacks at function entry and exit.
 *
 * It tells two calls of one getter apart (spin.c) and gives the stack of an access that is over (race/report.c) without
 * unwinding. A longjmp leaves entries behind: a new entry first drops those whose frames lie below its own. */
#include "machine/machine.h"
#include "memory/memory.h"
#include "runtime/reserve.h"
#include "trust/trust.h"

enum { DEEPEST = 1024, OUTER = 16, WORDS_OF_STACK = 8 };

struct call {
    const void *caller;
    uintptr_t frame;
    uint64_t hash;
};

/* The outer calls of all threads lie close together: every page that an execution writes is looked at when it is reset. */
static struct calls {
    uint32_t depth; /* may exceed DEEPEST: the innermost ones are then not kept */
    struct call outer[OUTER];
} * calls;
static struct call (*inner)[DEEPEST - OUTER]; /* of each thread */

void bpor_calls_reserve(void)
{
    calls = bpor_reserve(sizeof *calls * BPOR_MAX_THREADS);
    inner = bpor_reserve(sizeof *inner * BPOR_MAX_THREADS);
}

static struct call *call_at(struct calls *mine, unsigned depth)
{
    return depth < OUTER ? &mine->outer[depth] : &inner[mine - calls][depth - OUTER];
}

void bpor_call_entered(struct thread *thread, const void *caller, uintptr_t frame)
{
    struct calls *mine = &calls[thread->id];
    if (mine->depth >= DEEPEST) {
        mine->depth++;
        return;
    }
    while (mine->depth > 0 && call_at(mine, mine->depth - 1)->frame <= frame)
        mine->depth--;
    uint64_t outer = mine->depth ? call_at(mine, mine->depth - 1)->hash : 1;
    *call_at(mine, mine->depth++) = (struct call){caller, frame, bpor_mix(outer, (uint64_t)caller)};
}

void bpor_call_left(struct thread *thread)
{
    struct calls *mine = &calls[thread->id];
    if (mine->depth > 0)
        mine->depth--;
}

uint64_t bpor_call_hash(const struct thread *thread)
{
    struct calls *mine = &calls[thread->id];
    unsigned depth = mine->depth < DEEPEST ? mine->depth : DEEPEST;
    uint64_t hash = depth ? call_at(mine, depth - 1)->hash : 0;
    const uint64_t *stack = thread->machine_stack;
    uint64_t words = (uint64_t)stack; /* each mixed by itself: a processor does that for several at once */
    for (unsigned i = 0; stack && i < WORDS_OF_STACK; i++)
        words += bpor_mix(i, bpor_trusts ? bpor_trust_original(stack[i]) : stack[i]);
    return stack ? bpor_mix(hash, words) : hash;
}

uint64_t bpor_call_registers(const struct thread *thread)
{
    return thread->machine_stack ? bpor_machine_registers(thread->machine_stack) : 0;
}

unsigned bpor_call_depth(const struct thread *thread)
{
    return calls ? calls[thread->id].depth : 0;
}

unsigned bpor_call_frames(const struct thread *thread, uint64_t *frames, unsigned most)
{
    struct calls *mine = &calls[thread->id];
    unsigned depth = mine->depth < DEEPEST ? mine->depth : DEEPEST, count = 0;
    while (depth > 0 && count < most)
        frames[count++] = (uint64_t)call_at(mine, --depth)->caller;
    return count;
}
