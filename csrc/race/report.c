/* A race ends the execution and is reported with both stacks: the later access's by unwinding, the earlier one's from what the
 * runtime records in executions that are described. */
#define _GNU_SOURCE
#include "machine/machine.h"
#include "python/gil.h"
#include "python/objects.h"
#include "python/references.h"
#include "race/race.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 1 << 12, CAPACITY = 1 << 15, FRAMES = 24 };

/* Stacks of accesses, each kept once. */
struct stack {
    uint64_t hash;
    uint32_t next;
    uint32_t frames;
    uint64_t frame[FRAMES];
};

static struct stacks {
    uint32_t count;
    uint32_t bucket[BUCKETS];
    struct stack stack[CAPACITY];
} * stacks;

void bpor_stacks_reserve(void)
{
    stacks = bpor_reserve(sizeof *stacks);
}

uint32_t bpor_stack_remember(const struct thread *thread, const void *site)
{
    uint64_t hash = bpor_mix(bpor_call_hash(thread), (uint64_t)site);
    uint32_t *bucket = &stacks->bucket[hash % BUCKETS];
    for (uint32_t i = *bucket; i; i = stacks->stack[i - 1].next)
        if (stacks->stack[i - 1].hash == hash)
            return i;
    if (stacks->count == CAPACITY)
        return 0; /* the report then lacks one stack */
    struct stack *stack = &stacks->stack[stacks->count++];
    stack->hash = hash;
    stack->next = *bucket;
    stack->frame[0] = (uint64_t)site;
    stack->frames = 1 + bpor_call_frames(thread, &stack->frame[1], FRAMES - 1);
    *bucket = stacks->count;
    return stacks->count;
}

void bpor_end_other_stack(unsigned thread, uint32_t number)
{
    struct bpor_end *end = &bpor->shared->end;
    end->other_thread = thread;
    end->other_frames = 0;
    if (number == 0)
        return;
    const struct stack *stack = &stacks->stack[number - 1];
    for (end->other_frames = 0; end->other_frames < stack->frames; end->other_frames++)
        end->other_stack[end->other_frames] = stack->frame[end->other_frames];
}

void bpor_stack_is_gone(const struct thread *owner, uintptr_t address, size_t bytes, bool write)
{
    struct bpor_end *end = &bpor->shared->end;
    if (bpor->fault)
        return;
    end->address = address;
    bpor_end_other_stack(owner->id, 0);
    snprintf(end->message, sizeof end->message,
             "use of a stack that is gone: %s of %zu byte%s by T%u on the stack of T%u, which has ended",
             write ? "write" : "read", bytes, bytes == 1 ? "" : "s", bpor_self->id, owner->id);
    bpor_fault(BPOR_OUTCOME_MEMORY);
}

static const char *words(bool write, bool atomic)
{
    if (atomic)
        return write ? "atomic write" : "atomic read";
    return write ? "write" : "read";
}

static const char *what_it_does(const struct race *race)
{
    if (race->freeing)
        return "free";
    return race->unmapping ? "unmapping" : words(race->write, race->atomic);
}

/* Without the interpreter's lock the interpreter orders some accesses by means that we do not see. A block is freed, or unmapped,
 * when its last reference is gone. Once the accesses of the block are operations, an access that comes after the free is reported
 * as a use after free, and one of unmapped memory ends the program. */
static bool ordered_by_interpreter(const struct race *race)
{
    if (!bpor_gil_is_off() || race->looking)
        return false;
    bool owns = bpor_python_owns(race->address, race->bytes);
    if (owns && !race->write && !race->atomic && !bpor_in_interpreter(race->address))
        bpor_reference_looked(race->address & ~(uintptr_t)(sizeof(uintptr_t) - 1), false, NULL);
    return owns || ((race->freeing || race->unmapping) && bpor_visible_place(race->address, race->bytes));
}

/* Machine code may synchronise by plain moves. A free is an operation; once the accesses of the block are operations too, an
 * access that comes after the free is reported as a use after free. */
static bool ordered_by_machine_code(const struct race *race)
{
    return (race->freeing || race->unmapping) && bpor_machine_in_use() && bpor_visible_place(race->address, race->bytes);
}

/* An exception that crosses threads (std::exception_ptr, std::future) is freed, with all it holds, by whoever lets go of it last;
 * libstdc++ counts that by atomics of its own, which come after all uses. Later uses are still seen for what they are. */
static bool ordered_by_exception(const struct race *race)
{
    static const char *const let_go[] = {"_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv", "__cxa_end_catch"};
    struct bpor_end *end = &bpor->shared->end;
    Dl_info info;
    bool found = false;
    if (!race->freeing)
        return false;
    bpor_record_stack();
    for (unsigned i = 0; i < end->frames && !found; i++)
        if (dladdr((const void *)(end->stack[i] - 1), &info) && info.dli_sname)
            found = strcmp(info.dli_sname, let_go[0]) == 0 || strcmp(info.dli_sname, let_go[1]) == 0;
    end->frames = 0;
    return found;
}

/* Code has names as static memory has them. */
static uint64_t name_of_code(const void *site)
{
    uint64_t unused;
    return site ? bpor_canonical((uintptr_t)site, BPOR_CLASS_MEMORY, &unused) : 0;
}

static void tell_sites(const struct race *race)
{
    struct bpor_end *end = &bpor->shared->end;
    end->site = name_of_code(bpor_self->machine_stack ? race->site : NULL);
    end->other_site = race->other_stack && !race->other_atomic ? name_of_code((const void *)end->other_stack[0]) : 0;
}

/* The message repeats in equivalent executions: it names threads, kinds and sizes, no addresses. */
void bpor_race_report(const struct race *race)
{
    struct bpor_end *end = &bpor->shared->end;
    uint64_t allocation_site = 0;
    if (bpor->fault || ordered_by_interpreter(race) || ordered_by_machine_code(race) || ordered_by_exception(race))
        return; /* the first one ends the execution */
    end->address = race->address;
    end->object = bpor_canonical(race->address, BPOR_CLASS_MEMORY, &allocation_site);
    end->object_bytes = (uint32_t)race->bytes;
    bpor_emit_place(end->object, race->address, allocation_site);
    bpor_end_other_stack(race->other, race->other_stack);
    tell_sites(race);
    const char *other = words(race->other_wrote, race->other_atomic);
    if (race->ending)
        snprintf(end->message, sizeof end->message, "data race: end of T%u and of its stack, and %s by T%u there, in no order",
                 bpor_self->id, other, race->other);
    else
        snprintf(end->message, sizeof end->message, "data race: %s of %zu byte%s by T%u, and %s by T%u, in no order",
                 what_it_does(race), race->bytes, race->bytes == 1 ? "" : "s", bpor_self->id, other, race->other);
    bpor_fault(BPOR_OUTCOME_RACE);
}
