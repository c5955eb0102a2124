/* The table of atomic locations, chained by the 64 bytes they lie in: naturally aligned accesses of up to 16 bytes that overlap
 * are in one chain. The canonical name of a location is worked out once. */
#include "memory/memory.h"
#include "race/clocks.h"
#include "race/race.h"
#include "race/state.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include "weak/weak.h"

enum { BUCKETS = 1 << 15, CAPACITY = 1 << 16, LINE_SHIFT = 6 };

static struct location_table {
    uint32_t count;
    uint32_t live;
    uint32_t made; /* altogether */
    uint32_t free; /* re-usable entries, index + 1 */
    uint32_t bucket[BUCKETS];
    struct location location[CAPACITY];
} * table;

void bpor_locations_reserve(void)
{
    table = bpor_reserve(sizeof *table);
}

static uint32_t *bucket_of(uintptr_t address)
{
    return &table->bucket[bpor_mix(address >> LINE_SHIFT, 2) % BUCKETS];
}

static struct location *new_location(void)
{
    uint32_t index = table->free;
    if (index)
        table->free = table->location[index - 1].next;
    else if (table->count < CAPACITY)
        index = ++table->count;
    else
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 65536 atomic variables in one execution");
    table->live++;
    return &table->location[index - 1];
}

static void meet_others(struct location *location)
{
    struct location *other = NULL;
    while ((other = bpor_location_overlapping(other, location->address, location->size)) != NULL)
        if (other != location)
            other->mixed = location->mixed = true;
}

static struct location *find_in(uint32_t bucket, uintptr_t address, uint32_t size)
{
    for (uint32_t i = bucket; i; i = table->location[i - 1].next)
        if (table->location[i - 1].address == address && table->location[i - 1].size == size)
            return &table->location[i - 1];
    return NULL;
}

const struct location *bpor_location_known(uintptr_t address, uint32_t size)
{
    return find_in(*bucket_of(address), address, size);
}

struct location *bpor_location(uintptr_t address, uint32_t size)
{
    uint32_t *bucket = bucket_of(address);
    struct location *location = find_in(*bucket, address, size);
    if (location)
        return location;
    location = new_location();
    uint64_t allocation_site = 0;
    uint64_t id = bpor_canonical(address, BPOR_CLASS_MEMORY, &allocation_site);
    *location = (struct location){.address = address, .size = size, .next = *bucket, .id = id, .number = ++table->made};
    *bucket = (uint32_t)(location - table->location) + 1;
    meet_others(location);
    bpor_emit_place(id, address, allocation_site);
    return location;
}

struct location *bpor_location_overlapping(struct location *previous, uintptr_t address, size_t bytes)
{
    uintptr_t line = previous ? previous->address >> LINE_SHIFT : address >> LINE_SHIFT;
    uint32_t i = previous ? previous->next : *bucket_of(address);
    for (;;) {
        for (; i; i = table->location[i - 1].next) {
            struct location *location = &table->location[i - 1];
            if (location->address >> LINE_SHIFT == line && location->address < address + bytes &&
                address < location->address + location->size)
                return location;
        }
        if (++line > (address + bytes - 1) >> LINE_SHIFT)
            return NULL;
        i = *bucket_of(line << LINE_SHIFT);
    }
}

/* What an atomic variable holds is in memory; when it was accessed is known here only. */
void bpor_locations_digest(struct digest *set)
{
    for (uint32_t i = 0; i < table->count && bpor_time_counts(); i++) {
        const struct location *location = &table->location[i];
        if (location->write_time == 0 && location->read_time == 0)
            continue;
        struct digest times = digest_of(location->address);
        digest_next(&times, location->size);
        digest_next(&times, location->write_time);
        digest_next(&times, location->read_time);
        digest_include(set, times);
    }
}

/* Read and written by the same thread at the same point are two accesses. */
void bpor_locations_each_clock(clock_visit *released, clock_visit *accesses)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct location *location = &table->location[i];
        uint64_t key = bpor_mix(location->address, location->size);
        if (location->released)
            released(bpor_mix(key, 10), location->released);
        if (!bpor_sharing_counts(location->address, SHARED_ATOMICS) &&
            !bpor_sharing_counts(location->address + location->size - 1, SHARED_ATOMICS))
            continue;
        if (location->reads)
            accesses(bpor_mix(key, 11), location->reads);
        if (location->writes)
            accesses(bpor_mix(key, 12), location->writes);
    }
}

static bool any_within(uintptr_t start, size_t bytes)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->location[i].size > 0 && table->location[i].address - start < bytes)
            return true;
    return false;
}

bool bpor_locations_within(uintptr_t start, size_t bytes)
{
    if (table == NULL || table->live == 0 || bytes == 0)
        return false;
    if (bytes >> LINE_SHIFT > table->count) /* memory that is unmapped may be large */
        return any_within(start, bytes);
    return bpor_location_overlapping(NULL, start, bytes) != NULL;
}

static void forget_in(uint32_t *link, uintptr_t start, size_t bytes)
{
    while (*link) {
        uint32_t index = *link;
        struct location *location = &table->location[index - 1];
        if (location->address - start >= bytes) {
            link = &location->next;
            continue;
        }
        *link = location->next;
        bpor_weak_forget_stores(location);
        bpor_clock_free(location->released);
        bpor_clock_free(location->reads);
        bpor_clock_free(location->writes);
        bpor_clock_free(location->read_stacks);
        bpor_clock_free(location->write_stacks);
        *location = (struct location){.next = table->free};
        table->free = index;
        table->live--;
    }
}

void bpor_locations_forget(uintptr_t start, size_t bytes)
{
    if (table == NULL || table->live == 0 || bytes == 0)
        return;
    uintptr_t first = start >> LINE_SHIFT, last = (start + bytes - 1) >> LINE_SHIFT;
    if (last - first >= BUCKETS) {
        for (uint32_t i = 0; i < BUCKETS; i++)
            forget_in(&table->bucket[i], start, bytes);
        return;
    }
    for (uintptr_t line = first; line <= last; line++)
        forget_in(bucket_of(line << LINE_SHIFT), start, bytes);
}
