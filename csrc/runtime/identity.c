/* A state, as far as it decides how the program goes on: every word of memory that is not what it was at the fork point, what the
 * model knows of objects and threads, the registers that each thread goes on with, and what the guard of rollback let pass.
 *
 * Memory counts by content, whoever wrote it and however often. Left out are stacks below the point where their thread stands,
 * and the runtime's tables (reserve.h): what in them decides anything is taken from them by name, under names that do not depend
 * on the order in which things were met. The runtime's static variables count like any memory, so what is added there is in it.
 * Heap bookkeeping is memory too: the same blocks freed in another order are another state.
 *
 * Output that was written is not part of the state, nor are the counters of bounds: a bounded search cannot use identities. */
#include "runtime/identity.h"
#include "runtime/carrier.h"
#include "runtime/guard.h"
#include "runtime/keeper.h"
#include "runtime/masks.h"
#include "runtime/objects.h"
#include "runtime/page.h"
#include "runtime/pages.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"
#include <string.h>

enum { WORDS = PAGE / 8 };

/* Objects are known by their addresses, not by when they were met. */
static uint64_t meaning_of(uint64_t word)
{
    const struct object *object = bpor_object_pointed_at(word);
    return object ? scramble(object->address << 4 | object->class) : word;
}

static bool on_own_stack(const struct thread *thread)
{
    return thread->parked.stack >= thread->stack_low && thread->parked.stack <= thread->stack_top;
}

/* The end of what is dead of a thread's stack, which begins at its lowest byte. A thread that stands elsewhere may come back to
 * it, and a stack of the program's own is the program's again when its thread has ended. */
static uintptr_t dead_end(const struct thread *thread)
{
    if (thread->state == THREAD_FINISHED)
        return thread->id == 0 || bpor_fibers_lent_stack(thread) ? thread->stack_top : thread->stack_low;
    return on_own_stack(thread) ? thread->parked.stack : thread->stack_low;
}

static bool all_dead(uintptr_t start, uintptr_t end)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (start >= bpor->thread[i].stack_low && end <= dead_end(&bpor->thread[i]))
            return true;
    return false;
}

static void include_page(uintptr_t page, const uint8_t *copy, void *set)
{
    const uint64_t *now = (const uint64_t *)page, *before = (const uint64_t *)copy;
    if (all_dead(page, page + PAGE))
        return;
    for (unsigned i = 0; i < WORDS; i++) {
        uintptr_t address = page + i * sizeof *now;
        if (now[i] == (before ? before[i] : 0) || all_dead(address, address + sizeof *now))
            continue;
        struct digest word = digest_of(address);
        digest_next(&word, meaning_of(now[i]));
        digest_include(set, word);
    }
}

static const char *include_new_memory(uintptr_t start, uintptr_t end, void *set)
{
    return bpor_pages_each_present(start, end, include_page, set);
}

static const char *include_memory(struct digest *set)
{
    const char *problem = bpor_pages_each_written(include_page, set);
    return problem ? problem : bpor_guard_each_new_memory(include_new_memory, set);
}

/* Without what only names and counts things, and what is read only by a thread that runs. */
static void blank(struct thread *copy)
{
    copy->allocations = copy->mappings = copy->yields = copy->steps = 0;
    copy->failed_at = 0;
    copy->circles = copy->moves = copy->counts = false;
    copy->yielded_at = 0;
    copy->result = 0;
    memset(&copy->context, 0, sizeof copy->context);
    memset(copy->op.access, 0, sizeof copy->op.access);
    if (copy->state == THREAD_FINISHED) {
        memset(&copy->op, 0, sizeof copy->op);
        memset(&copy->parked, 0, sizeof copy->parked);
        copy->signal_mask = 0;
    }
}

static void include_thread(const struct thread *thread, struct digest *set)
{
    union {
        struct thread thread;
        uint64_t word[sizeof(struct thread) / sizeof(uint64_t)];
    } copy = {.thread = *thread};
    struct digest sequence = digest_of((uint64_t)thread);
    blank(&copy.thread);
    for (unsigned i = 0; i < sizeof copy.word / sizeof copy.word[0]; i++)
        if (copy.word[i]) {
            digest_next(&sequence, i);
            digest_next(&sequence, meaning_of(copy.word[i]));
        }
    digest_include(set, sequence);
}

static const char *unknown(void)
{
    if (!bpor_keeper_active())
        return "executions are not reset by rollback";
    if (bpor->instrumented && bpor->shared->config.races != BPOR_RACES_OFF)
        return "data races are looked for, which depend on the past of a state (--races=off)";
    if (bpor_guard_mapping_altered())
        return "the program gives up a part of a mapping, or changes its protection";
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *thread = &bpor->thread[i];
        if (thread->state != THREAD_FINISHED && bpor_signals_own_stack(thread->parked.stack))
            return "a thread waits in a handler of a fatal signal";
    }
    return NULL;
}

const char *bpor_identify(struct digest *identity)
{
    const char *problem = unknown();
    if (problem)
        return problem;
    if (bpor_self->state != THREAD_FINISHED)
        bpor_mask_save(bpor_self);
    struct digest set = {0, 0};
    problem = include_memory(&set);
    if (problem)
        return problem;
    bpor_objects_digest(&set);
    for (unsigned i = 0; i < bpor->threads; i++)
        include_thread(&bpor->thread[i], &set);
    bpor_guard_digest(&set);
    *identity = set;
    return NULL;
}
