/* The search's happens-before, inside the target: program order, conflicting executed footprints, creation, join. It decides
 * whether a load is truly weak, and must agree with the clocks of csrc/engine/history.c. */
#include "runtime/reserve.h"
#include "weak/weak.h"

enum { BUCKETS = 1 << 10, CAPACITY = 1 << 14 };

struct touched {
    uint64_t object;
    uint32_t next; /* index + 1 */
    uint32_t *written;
    uint32_t *read;
};

static struct {
    struct causes thread[WEAK_THREADS];
    uint32_t count;
    uint32_t bucket[BUCKETS];
    struct touched touched[CAPACITY];
} * known;
static uint32_t *clocks; /* two of each that was touched */

void weak_causes_reserve(void)
{
    known = bpor_reserve_kept(sizeof *known);
    clocks = weak_clocks_reserve(2 * CAPACITY);
}

static void set_clocks(uint32_t index, uint32_t width)
{
    struct touched *touched = &known->touched[index];
    touched->written = clocks + (size_t)2 * index * width;
    touched->read = touched->written + width;
}

void weak_causes_widen(void)
{
    weak_clocks_widen(clocks, (size_t)2 * known->count);
    for (uint32_t i = 0; i < known->count; i++)
        set_clocks(i, 2 * weak_width);
}

static uint32_t *bucket_of(uint64_t object)
{
    return &known->bucket[bpor_mix(object, 6) % BUCKETS];
}

void weak_causes_begin(void)
{
    for (uint32_t i = 0; i < known->count; i++)
        *bucket_of(known->touched[i].object) = 0;
    known->count = 0;
    for (unsigned i = 0; i < bpor->threads && i < WEAK_THREADS; i++)
        weak_clear(known->thread[i].at);
}

void weak_causes_new_thread(unsigned thread)
{
    for (unsigned i = 0; i < thread; i++)
        known->thread[i].at[thread] = 0;
    for (uint32_t i = 0; i < known->count; i++)
        known->touched[i].written[thread] = known->touched[i].read[thread] = 0;
}

struct causes *weak_causes(const struct thread *thread)
{
    return &known->thread[thread->id];
}

/* NULL: there is no room. */
static struct touched *touched_of(uint64_t object)
{
    uint32_t *bucket = bucket_of(object);
    for (uint32_t i = *bucket; i; i = known->touched[i - 1].next)
        if (known->touched[i - 1].object == object)
            return &known->touched[i - 1];
    if (known->count == CAPACITY) {
        weak_give_up();
        return NULL;
    }
    struct touched *touched = &known->touched[known->count++];
    touched->object = object;
    touched->next = *bucket;
    set_clocks(known->count - 1, weak_width);
    weak_clear(touched->written);
    weak_clear(touched->read);
    *bucket = known->count;
    return touched;
}

static void follow(struct causes *causes, const struct touched *touched, bool write)
{
    weak_join(causes->at, touched->written);
    if (write)
        weak_join(causes->at, touched->read);
}

/* An access of one place, which remembers where that is. */
void weak_causes_at(struct thread *thread, struct location *location, const struct bpor_access *access)
{
    struct causes *causes = weak_causes(thread);
    if (!location->touched) {
        const struct touched *touched = touched_of(access->object);
        if (touched == NULL)
            return;
        location->touched = (uint32_t)(touched - known->touched) + 1;
    }
    const struct touched *touched = &known->touched[location->touched - 1];
    follow(causes, touched, access->write);
    causes->at[thread->id] = thread->steps + 1;
    weak_join(access->write ? touched->written : touched->read, causes->at);
}

void weak_causes_follow(struct thread *thread, const struct bpor_access *access, unsigned accesses)
{
    struct causes *causes = weak_causes(thread);
    struct touched *touched[BPOR_MAX_ACCESSES];
    for (unsigned i = 0; i < accesses; i++) {
        if ((touched[i] = touched_of(access[i].object)) == NULL)
            return;
        follow(causes, touched[i], access[i].write);
    }
    causes->at[thread->id] = thread->steps + 1;
    for (unsigned i = 0; i < accesses; i++)
        weak_join(access[i].write ? touched[i]->written : touched[i]->read, causes->at);
}
