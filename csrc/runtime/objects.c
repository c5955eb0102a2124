/* The table of synchronisation objects. Objects are chained by line, an eighth of a page, so that freeing a block finds what lay
 * in it without a scan, and an array of a hundred mutexes is not one chain. */
#include "runtime/objects.h"
#include "model/waiters.h"
#include "runtime/lifetimes.h"
#include "runtime/reserve.h"

enum { BUCKETS = 1 << 14, LINE_SHIFT = 9, LINES = 8 /* of a page */ };

static struct object_table {
    uint32_t count;
    uint32_t bucket[BUCKETS]; /* index + 1 */
    struct object object[MAX_OBJECTS];
} * table;

void bpor_objects_reserve(void)
{
    table = bpor_reserve(sizeof *table);
}

/* Those of one page are neighbours: a reset then has one page of the table to put back. */
static uint32_t *bucket_of_line(uintptr_t line)
{
    return &table->bucket[(bpor_mix(line / LINES, 0) + line % LINES) % BUCKETS];
}

/* Those that were freed stay in their chain while their memory is kept. */
static struct object *find(const void *pointer, enum bpor_object_class class)
{
    uintptr_t address = (uintptr_t)pointer;
    for (uint32_t i = *bucket_of_line(address >> LINE_SHIFT); i; i = table->object[i - 1].next) {
        struct object *object = &table->object[i - 1];
        if (object->address == address && object->class == class)
            return object;
    }
    return NULL;
}

struct object *bpor_object_known(const void *pointer, enum bpor_object_class class)
{
    struct object *object = find(pointer, class);
    return object && object->live ? object : NULL;
}

static struct object *add(uintptr_t address, enum bpor_object_class class)
{
    if (table->count == MAX_OBJECTS)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 65536 synchronisation objects in one execution");
    uint32_t *bucket = bucket_of_line(address >> LINE_SHIFT);
    struct object *object = &table->object[table->count++];
    uint64_t allocation_site = 0;
    *object = (struct object){.address = address, .class = class, .live = true, .owner = BPOR_NO_THREAD, .next = *bucket};
    *bucket = table->count;
    object->id = bpor_canonical(address, class, &allocation_site);
    bpor_emit_object(object, allocation_site);
    if (class == BPOR_CLASS_SYNC)
        bpor_lifetime_begin(object);
    return object;
}

/* The owner's end is a step then: others may come after it. */
static void note_shared_stack(const struct object *object)
{
    if (object->on_stack_of && object->on_stack_of - 1 != bpor_self->id)
        bpor->thread[object->on_stack_of - 1].stack_is_shared = true;
}

struct object *bpor_object(const void *pointer, enum bpor_object_class class, enum object_family family)
{
    struct object *object = find(pointer, class);
    if (object == NULL)
        object = add((uintptr_t)pointer, class);
    note_shared_stack(object);
    if (object->family != family) {
        /* First use, or the program made another kind of object of this memory. */
        object->family = family;
        object->owner = BPOR_NO_THREAD;
        object->readers = NULL;
        object->barrier = NULL;
    }
    return object;
}

static void forget_in_line(uintptr_t line, uintptr_t start, uintptr_t end)
{
    uint32_t *link = bucket_of_line(line);
    while (*link) {
        struct object *object = &table->object[*link - 1];
        if (object->address >= start && object->address < end) {
            object->live = false;
            object->forgotten = true;
            *link = object->next;
        } else {
            link = &object->next;
        }
    }
}

/* So large that looking at all objects is cheaper than looking at its lines. */
static bool is_large(size_t bytes)
{
    return bytes >> LINE_SHIFT >= BUCKETS;
}

/* Likewise if there are few objects, as in most tests; but what is found must be found in the order of addresses. */
static bool has_more_lines_than_objects(size_t bytes)
{
    return bytes >> LINE_SHIFT > table->count;
}

void bpor_objects_forget(uintptr_t start, size_t bytes)
{
    if (table->count == 0 || bytes == 0)
        return;
    uintptr_t first = start >> LINE_SHIFT, last = (start + bytes - 1) >> LINE_SHIFT;
    if (is_large(bytes) || has_more_lines_than_objects(bytes)) {
        for (uint32_t i = 0; i < table->count; i++)
            forget_in_line(table->object[i].address >> LINE_SHIFT, start, start + bytes);
        return;
    }
    for (uintptr_t line = first; line <= last; line++)
        forget_in_line(line, start, start + bytes);
}

static struct object *find_among_all(const struct object *previous, uintptr_t start, size_t bytes, enum bpor_object_class class)
{
    for (uint32_t i = previous ? (uint32_t)(previous - table->object) + 1 : 0; i < table->count; i++) {
        struct object *object = &table->object[i];
        if (!object->forgotten && object->address - start < bytes && object->class == class)
            return object;
    }
    return NULL;
}

static struct object *find_within(const struct object *previous, uintptr_t start, size_t bytes, enum bpor_object_class class)
{
    if (table->count == 0 || bytes == 0)
        return NULL;
    if (is_large(bytes))
        return find_among_all(previous, start, bytes, class);
    if (has_more_lines_than_objects(bytes) && find_among_all(NULL, start, bytes, class) == NULL)
        return NULL;
    uintptr_t line = (previous ? previous->address : start) >> LINE_SHIFT;
    uint32_t i = previous ? previous->next : *bucket_of_line(line);
    for (;;) {
        for (; i; i = table->object[i - 1].next) {
            struct object *object = &table->object[i - 1];
            if (object->address >> LINE_SHIFT == line && object->address - start < bytes && object->class == class)
                return object;
        }
        if (++line > (start + bytes - 1) >> LINE_SHIFT)
            return NULL;
        i = *bucket_of_line(line);
    }
}

struct object *bpor_object_within(const struct object *previous, uintptr_t start, size_t bytes)
{
    return find_within(previous, start, bytes, BPOR_CLASS_SYNC);
}

bool bpor_futex_within(uintptr_t start, size_t bytes)
{
    return find_within(NULL, start, bytes, BPOR_CLASS_QUEUE) != NULL;
}

void bpor_objects_free(uintptr_t start, size_t bytes, unsigned by, uint32_t stack)
{
    for (struct object *object = NULL; (object = bpor_object_within(object, start, bytes)) != NULL;) {
        bpor_lifetime_freed(object, by, stack);
        object->live = false;
    }
}

void bpor_objects_each(void (*visit)(struct object *object))
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->object[i].live)
            visit(&table->object[i]);
}

const struct object *bpor_object_pointed_at(uint64_t word)
{
    uint64_t offset = word - (uint64_t)table->object;
    if (offset >= table->count * sizeof table->object[0] || offset % sizeof table->object[0] != 0)
        return NULL;
    const struct object *object = &table->object[offset / sizeof table->object[0]];
    return object->live ? object : NULL;
}

/* A forgotten object is used only by a thread that was about to use it when it was freed; that thread's operation refers to
 * it. */
static bool says_nothing(const struct object *object)
{
    if (object->forgotten)
        return object->waiters == NULL;
    bool timeless = !bpor_time_counts() || (object->write_time == 0 && object->read_time == 0);
    return object->end == END_NOT_YET && object->owner == BPOR_NO_THREAD && timeless && object->readers == NULL &&
           object->barrier == NULL && object->waiters == NULL;
}

/* One that is forgotten is known by its place here only: another may live at its address. */
static struct digest digest_object(const struct object *object)
{
    struct digest sequence = digest_of(object->forgotten ? (uint64_t)object : object->address);
    digest_next(&sequence, (uint64_t)object->owner << 32 | object->class << 16 | object->family << 8 | object->live);
    digest_next(&sequence, (uint64_t)object->end << 16 | object->ended_by);
    digest_next(&sequence, bpor_time_counts() ? object->write_time : 0);
    digest_next(&sequence, bpor_time_counts() ? object->read_time : 0);
    digest_next(&sequence, (uint64_t)object->readers);
    bpor_barrier_digest(object, &sequence);
    bpor_waiters_digest(object, &sequence);
    return sequence;
}

void bpor_objects_digest(struct digest *set)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (!says_nothing(&table->object[i]))
            digest_include(set, digest_object(&table->object[i]));
}
