/* The search's happens-before, inside the target: program order, conflicting executed footprints, creation, join. It decides
 * whether a load is truly weak, and must agree with the clocks of csrc/engine/history.c. */
#include "runtime/reserve.h"
#include "weak/weak.h"

enum { BUCKETS = 1 << 12, CAPACITY = 1 << 14 };

struct touched {
    uint64_t object;
    uint32_t next; /* index + 1 */
    struct causes written;
    struct causes read;
};

static struct {
    struct causes thread[WEAK_THREADS];
    uint32_t count;
    uint32_t bucket[BUCKETS];
    struct touched touched[CAPACITY];
} * known;

void weak_causes_reserve(void)
{
    known = bpor_reserve(sizeof *known);
}

struct causes *weak_causes(const struct thread *thread)
{
    return &known->thread[thread->id];
}

void weak_causes_join(struct causes *into, const struct causes *other)
{
    for (unsigned i = 0; i < WEAK_THREADS; i++)
        if (into->at[i] < other->at[i])
            into->at[i] = other->at[i];
}

/* NULL: there is no room. */
static struct touched *touched_of(uint64_t object)
{
    uint32_t *bucket = &known->bucket[bpor_mix(object, 6) % BUCKETS];
    for (uint32_t i = *bucket; i; i = known->touched[i - 1].next)
        if (known->touched[i - 1].object == object)
            return &known->touched[i - 1];
    if (known->count == CAPACITY) {
        weak_give_up();
        return NULL;
    }
    struct touched *touched = &known->touched[known->count++];
    *touched = (struct touched){.object = object, .next = *bucket};
    *bucket = known->count;
    return touched;
}

static void follow(struct causes *causes, const struct touched *touched, bool write)
{
    weak_causes_join(causes, &touched->written);
    if (write)
        weak_causes_join(causes, &touched->read);
}

void weak_causes_follow(struct thread *thread, const struct bpor_access *access, unsigned accesses)
{
    struct causes *causes = weak_causes(thread);
    for (unsigned i = 0; i < accesses; i++) {
        const struct touched *touched = touched_of(access[i].object);
        if (touched == NULL)
            return;
        follow(causes, touched, access[i].write);
    }
    causes->at[thread->id] = thread->steps + 1;
    for (unsigned i = 0; i < accesses; i++) {
        struct touched *touched = touched_of(access[i].object);
        weak_causes_join(access[i].write ? &touched->written : &touched->read, causes);
    }
}
