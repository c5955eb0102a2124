/* The last accesses of each byte: a write epoch and a read epoch per byte, or a list of readers that are not ordered with each
 * other.
 *
 * The common case, another access in the same epoch, costs one look-up and one vector comparison. An access in a new epoch visits
 * its bytes, once for each run of bytes with equal history. */
#include "machine/machine.h"
#include "python/changes.h"
#include "python/gil.h"
#include "python/references.h"
#include "race/cells.h"
#include "race/readers.h"
#include "race/state.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include <emmintrin.h>
#include <string.h>

void bpor_shadow_reserve(void)
{
    bpor_cells_reserve();
    bpor_readers_reserve();
}

static bool describing(void)
{
    return bpor->plan.flags & BPOR_PLAN_DESCRIBE;
}

static bool seen(const struct clock *clock, epoch when)
{
    return when == 0 || epoch_clock(when) <= clock->at[epoch_tag(when)];
}

static bool all_equal(const epoch *cell, size_t count, epoch value)
{
    __m128i wanted = _mm_set1_epi32((int)value);
    for (; count >= 4; count -= 4, cell += 4)
        if (_mm_movemask_epi8(_mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)cell), wanted)) != 0xffff)
            return false;
    for (; count > 0; count--, cell++)
        if (*cell != value)
            return false;
    return true;
}

/* One access being checked. */
struct check {
    struct thread *thread;
    const struct clock *clock;
    epoch now;
    bool write;
    bool atomic;
    bool freeing;
    bool unmapping;
    bool ending;
    uint32_t stack;
    const void *site; /* of a plain access */
    uintptr_t address;
    size_t bytes;
};

static void report(const struct check *check, uintptr_t byte, epoch other, bool other_wrote, bool other_atomic, uint32_t stack)
{
    bool access = !check->freeing && !check->unmapping && !check->ending;
    if (access && bpor_race_is_benign(byte))
        return;
    bpor_race_report(&(struct race){
        .address = byte,
        .bytes = check->bytes,
        .write = check->write,
        .atomic = check->atomic,
        .freeing = check->freeing,
        .unmapping = check->unmapping,
        .ending = check->ending,
        .other = epoch_tag(other),
        .other_wrote = other_wrote,
        .other_atomic = other_atomic,
        .other_stack = stack,
        .site = check->site,
    });
}

static void check_readers(const struct check *check, const struct region *region, size_t offset, uintptr_t byte)
{
    epoch read = region->read[offset];
    if (epoch_tag(read) != TAG_LIST) {
        if (!seen(check->clock, read))
            report(check, byte, read, false, false, region->read_stack[offset]);
        return;
    }
    for (const struct reader *one = readers_first(read); one; one = readers_next(one))
        if (!seen(check->clock, one->when))
            report(check, byte, one->when, false, false, one->stack);
}

static void check_byte(const struct check *check, const struct region *region, size_t offset, uintptr_t byte)
{
    epoch write = region->write[offset];
    if (epoch_tag(write) == TAG_FREED)
        bpor_use_after_free(byte, check->bytes, check->write, epoch_clock(write));
    else if (!seen(check->clock, write))
        report(check, byte, write, true, false, region->write_stack[offset]);
    if (check->write)
        check_readers(check, region, offset, byte);
}

/* The readers after this one: those it has seen need not be kept, whoever writes after it has seen them too. */
static epoch with_reader(const struct check *check, const struct region *region, size_t offset)
{
    epoch read = region->read[offset];
    if (read == 0 || read == check->now || (epoch_tag(read) != TAG_LIST && seen(check->clock, read)))
        return check->now;
    const struct reader *first = epoch_tag(read) == TAG_LIST ? readers_first(read) : NULL;
    for (const struct reader *one = first; one; one = readers_next(one))
        if (one->when == check->now)
            return read; /* before anything is copied: a loop that reads what another thread reads comes here in every round */
    uint32_t list = first ? 0 : bpor_reader_new(read, region->read_stack[offset], 0);
    for (const struct reader *one = first; one; one = readers_next(one))
        if (!seen(check->clock, one->when))
            list = bpor_reader_new(one->when, one->stack, list);
    return list ? epoch_of(TAG_LIST, bpor_reader_new(check->now, check->stack, list)) : check->now;
}

static void record_write(const struct check *check, struct region *region, size_t offset, size_t count)
{
    cells_touch(region->wrote, offset, count);
    for (size_t i = offset; i < offset + count; i++)
        region->write[i] = check->now;
    if (cells_touched(region->did_read, offset, count))
        memset(&region->read[offset], 0, count * sizeof region->read[0]);
    for (size_t i = offset; check->stack && i < offset + count; i++)
        region->write_stack[i] = check->stack;
}

static void record_read(const struct check *check, struct region *region, size_t offset, size_t count)
{
    epoch old_read = 0, new_read = 0;
    cells_touch(region->did_read, offset, count);
    for (size_t i = offset; i < offset + count; i++) {
        if (i == offset || region->read[i] != old_read) {
            bpor_readers_make_room(); /* which gives lists other numbers */
            old_read = region->read[i];
            new_read = with_reader(check, region, i);
        }
        region->read[i] = new_read;
        if (check->stack)
            region->read_stack[i] = check->stack;
    }
}

static void record(const struct check *check, struct region *region, size_t offset, size_t count)
{
    region->has_stacks |= check->stack != 0;
    if (check->write)
        record_write(check, region, offset, count);
    else
        record_read(check, region, offset, count);
}

static void check_atomics(const struct check *check, struct region *region, uintptr_t address, size_t bytes)
{
    size_t first = cell_of(address) >> ATOMIC_PAGE_SHIFT;
    size_t last = cell_of(address + bytes - 1) >> ATOMIC_PAGE_SHIFT;
    if (memchr(&region->atomic_page[first], 1, last - first + 1) == NULL)
        return;
    struct location *location = NULL;
    while ((location = bpor_location_overlapping(location, address, bytes)) != NULL) {
        unsigned writer = clock_unseen(location->writes, check->clock);
        unsigned reader = check->write ? clock_unseen(location->reads, check->clock) : BPOR_NO_THREAD;
        bool wrote = writer != BPOR_NO_THREAD;
        const struct clock *stacks = wrote ? location->write_stacks : location->read_stacks;
        unsigned other = wrote ? writer : reader;
        uintptr_t common = location->address > address ? location->address : address; /* the first byte of both */
        if (other != BPOR_NO_THREAD)
            report(check, common, epoch_of(other, 0), wrote, true, stacks ? stacks->at[other] : 0);
    }
}

enum { TOGETHER = 4, MANY = 4 * TOGETHER }; /* cells */

static inline __m128i any_of(const struct region *region, size_t at)
{
    return _mm_or_si128(_mm_loadu_si128((const __m128i *)&region->write[at]),
                        _mm_loadu_si128((const __m128i *)&region->read[at]));
}

static inline bool is_unused(__m128i any)
{
    return _mm_movemask_epi8(_mm_cmpeq_epi32(any, _mm_setzero_si128())) == 0xffff;
}

/* Cells that are zero, several at a time: nobody has used those bytes. */
static size_t skip_unused(const struct region *region, size_t at, size_t end)
{
    for (; at + MANY <= end; at += MANY) {
        __m128i half = _mm_or_si128(any_of(region, at), any_of(region, at + TOGETHER)),
                other = _mm_or_si128(any_of(region, at + 2 * TOGETHER), any_of(region, at + 3 * TOGETHER));
        if (!is_unused(_mm_or_si128(half, other)))
            break;
    }
    while (at + TOGETHER <= end && is_unused(any_of(region, at)))
        at += TOGETHER;
    return at;
}

static inline bool cell_is(const struct region *region, size_t at, epoch write, epoch read)
{
    return region->write[at] == write && region->read[at] == read;
}

/* Bytes side by side with equal history need one look. */
static void check_bytes(const struct check *check, const struct region *region, uintptr_t address, size_t bytes)
{
    size_t offset = cell_of(address), end = offset + bytes;
    bool each = bpor_race_any_benign(); /* of two bytes with equal history one may be excused */
    if (!cells_touched(region->wrote, offset, bytes) && !cells_touched(region->did_read, offset, bytes))
        return;
    for (size_t i = skip_unused(region, offset, end); i < end;) {
        epoch write = region->write[i], read = region->read[i];
        check_byte(check, region, i, address + (i - offset));
        for (i++; !each && i < end && cell_is(region, i, write, read); i++)
            continue;
        if (i < end && cell_is(region, i, 0, 0))
            i = skip_unused(region, i, end);
    }
}

/* A large block has no cells that say who allocated it, or that it was freed: most of them would never be looked at. */
static void check_allocation(const struct check *check, uintptr_t address, size_t bytes)
{
    const struct allocation *block = bpor_heap_find_large(address);
    uint32_t record;
    if (block && !seen(check->clock, block->born))
        report(check, address, block->born, true, false, 0);
    else if (!block && bpor_quarantine_large(address, bytes, &record))
        bpor_use_after_free(address, check->bytes, check->write, record);
}

/* A pointer to an object of Python is replaced in a place that others use, in whatever order: a lock may guard the pointer, and
 * yet not the object. Told as a race is, so that the place becomes an operation. */
static void check_references(const struct check *check, struct region *region, uintptr_t address, size_t bytes)
{
    enum { WORD = sizeof(uintptr_t) };
    for (uintptr_t at = address & ~(uintptr_t)(WORD - 1); at < address + bytes; at += WORD) {
        bool whole = at >= address && at + WORD <= address + bytes;
        if (check->write)
            bpor_change_written(at);
        else
            bpor_change_read(at, whole);
        if (whole && cells_used(region, at, check->thread->id) && check->write && bpor_reference_lies_at(at)) {
            struct check word = *check;
            word.bytes = WORD;
            report(&word, at, epoch_of(check->thread->id, 0), true, false, 0);
        }
    }
}

/* Within one region. */
static void check_part(const struct check *check, struct region *region, uintptr_t address, size_t bytes)
{
    check_bytes(check, region, address, bytes);
    check_allocation(check, address, bytes);
    if (check->atomic)
        return;
    bpor_sharing_plain(check->thread, address, bytes, check->write);
    check_atomics(check, region, address, bytes);
    if (!check->freeing && bpor_references_make_places() && bpor_stack_owner(address) == NULL)
        check_references(check, region, address, bytes);
    record(check, region, cell_of(address), bytes);
}

static void check_all(const struct check *check)
{
    for (size_t done = 0, bytes; done < check->bytes; done += bytes) {
        uintptr_t at = check->address + done;
        bytes = within_region(at, check->bytes - done);
        struct region *region = bpor_region_at(at);
        if (region)
            check_part(check, region, at, bytes);
    }
}

/* Stacks of threads that have ended, as a range around them all. */
static uintptr_t ended_low, ended_high;

bool bpor_shadow_stack_may_be_gone(uintptr_t address)
{
    return address >= ended_low && address < ended_high;
}

static void check_stack(const struct check *check)
{
    if (!bpor_shadow_stack_may_be_gone(check->address))
        return;
    const struct thread *owner = bpor_stack_owner(check->address);
    if (owner && owner->state == THREAD_FINISHED && !owner->stack_is_programs)
        bpor_stack_is_gone(owner, check->address, check->bytes, check->write);
}

static struct check new_check(struct thread *thread, uintptr_t address, size_t bytes, bool write)
{
    return (struct check){.thread = thread,
                          .clock = bpor_race_seen(thread),
                          .now = bpor_race_epoch(thread),
                          .write = write,
                          .address = address,
                          .bytes = bytes};
}

static bool on_record(const struct check *check)
{
    const struct region *region = bpor_known_region(check->address);
    size_t offset = cell_of(check->address);
    return region && offset + check->bytes <= REGION_BYTES &&
           (all_equal(&region->write[offset], check->bytes, check->now) ||
            (!check->write && all_equal(&region->read[offset], check->bytes, check->now)));
}

bool bpor_race_plain(struct thread *thread, uintptr_t address, size_t bytes, bool write, const void *site)
{
    struct check check = new_check(thread, address, bytes, write);
    check.site = site;
    if (bpor_race_excuse_stream(thread, address, write, site))
        return false;
    if (on_record(&check))
        return true;
    if (bpor_race_ignored(thread, write))
        return false;
    if (describing())
        check.stack = bpor_stack_remember(thread, site);
    check_stack(&check);
    if (write)
        bpor_beyond_check(address, bytes);
    check_all(&check);
    return on_record(&check);
}

void bpor_shadow_alone(uintptr_t address, size_t bytes, bool write)
{
    const struct region *region = bpor_known_region(address);
    size_t offset = cell_of(address), count = within_region(address, bytes);
    uint32_t record;
    if (bpor_quarantine_large(address, bytes, &record))
        bpor_use_after_free(address, bytes, write, record);
    if (region == NULL || !cells_touched(region->wrote, offset, count))
        return;
    for (size_t i = 0; i < count; i++)
        if (epoch_tag(region->write[offset + i]) == TAG_FREED) {
            bpor_use_after_free(address + i, bytes, write, epoch_clock(region->write[offset + i]));
            return;
        }
}

void bpor_shadow_atomic(struct thread *thread, uintptr_t address, size_t bytes, bool write)
{
    struct check check = new_check(thread, address, bytes, write);
    struct region *region = bpor_region_at(address);
    check.atomic = true;
    check_stack(&check);
    if (region == NULL)
        return;
    region->atomic_page[cell_of(address) >> ATOMIC_PAGE_SHIFT] = 1;
    if (within_region(address, bytes) == bytes)
        check_part(&check, region, address, bytes);
    else
        check_all(&check);
}

/* An interpreter without its lock orders the accesses of its threads by means that we do not see. */
static bool interpreter_orders(void)
{
    return bpor_gil_is_off() || bpor_gil.free_threaded;
}

void bpor_shadow_allocated(struct thread *thread, struct allocation *block)
{
    bpor_shadow_clear(block->start, block->size);
    if (bpor_checks != CHECK_RACES || interpreter_orders() || bpor_race_ignored(thread, true))
        return;
    block->born = bpor_race_epoch(thread);
    if (block->size > HEAP_LARGE)
        return;
    bpor_sharing_plain(thread, block->start, block->size, true);
    bpor_cells_fill(block->start, block->size, block->born);
    if (bpor->shared->config.visible_count && bpor_machine_in_use())
        bpor_race_new_epoch(thread); /* its own first access of the block is not done yet, and may be an operation */
    uint32_t stack = describing() ? bpor_stack_remember(thread, (const void *)block->site) : 0;
    for (size_t i = 0; stack && i < block->size; i++) {
        struct region *region = bpor_region_at(block->start + i);
        region->has_stacks = true;
        region->write_stack[cell_of(block->start + i)] = stack;
    }
}

/* Calls for the parts of a range, within one region, whose page has its flag up in `pages`: a byte for each 2^shift bytes. */
static void each_flagged(const struct check *check, struct region *region, const uint8_t *pages, unsigned shift, uintptr_t start,
                         size_t bytes, void (*look)(const struct check *, struct region *, uintptr_t, size_t))
{
    size_t low = cell_of(start), high = low + bytes, end = ((high - 1) >> shift) + 1;
    const uint8_t *flag = &pages[low >> shift];
    while ((flag = cells_next_page(flag, &pages[end])) != NULL) {
        size_t from = (size_t)(flag++ - pages) << shift, to = from + ((size_t)1 << shift);
        from = from > low ? from : low;
        to = to < high ? to : high;
        look(check, region, start + (from - low), to - from);
    }
}

static void look_at_written(const struct check *check, struct region *region, uintptr_t address, size_t bytes)
{
    check_bytes(check, region, address, bytes);
}

/* Written pages were looked at whole. */
static void look_at_read(const struct check *check, struct region *region, uintptr_t address, size_t bytes)
{
    if (!cells_touched(region->wrote, cell_of(address), bytes))
        check_bytes(check, region, address, bytes);
}

static void check_set(const struct check *check, struct region *region, uintptr_t start, size_t bytes)
{
    each_flagged(check, region, region->wrote, TOUCHED_SHIFT, start, bytes, look_at_written);
    each_flagged(check, region, region->did_read, TOUCHED_SHIFT, start, bytes, look_at_read);
}

/* Against whatever was accessed in a range that may be large. */
static void check_used(const struct check *check, uintptr_t low, uintptr_t high)
{
    uintptr_t first = low, end = high; /* of cells that are set */
    bpor_cells_narrow(&first, &end);
    for (uintptr_t at = low, next; at < high; at = next) {
        struct region *region = bpor_known_region(at);
        next = at + within_region(at, high - at);
        if (region == NULL)
            continue;
        uintptr_t from = first > at ? first : at, to = end < next ? end : next;
        if (from < to)
            check_set(check, region, from, to - from);
        each_flagged(check, region, region->atomic_page, ATOMIC_PAGE_SHIFT, at, next - at, check_atomics);
    }
}

/* A large block is checked where it was used, and loses its cells: the quarantine knows that it is free. */
void bpor_shadow_freed(struct thread *thread, uintptr_t start, size_t bytes, uint32_t record_number, const void *site)
{
    struct check check = new_check(thread, start, bytes, true);
    check.freeing = true;
    if (describing())
        check.stack = bpor_stack_remember(thread, site);
    if (bytes > HEAP_LARGE) {
        check_allocation(&check, start, 1);
        bpor_sharing_plain(thread, start, bytes, true);
        check_used(&check, start, start + bytes);
        bpor_cells_fill(start, bytes, 0);
        return;
    }
    check_all(&check);
    bpor_cells_fill(start, bytes, epoch_of(TAG_FREED, record_number));
}

void bpor_shadow_unmapped(struct thread *thread, uintptr_t start, size_t bytes, uint32_t stack)
{
    if (bpor_checks != CHECK_RACES || bpor_race_ignored(thread, true))
        return;
    struct check check = new_check(thread, start, bytes, true);
    check.unmapping = true;
    bpor_sharing_plain(thread, start, bytes, true);
    check.stack = stack;
    check_used(&check, start, start + bytes);
}

void bpor_race_thread_ended(struct thread *thread)
{
    if (bpor_checks != CHECK_RACES || interpreter_orders() || thread->stack_is_programs)
        return;
    struct check check = new_check(thread, thread->stack_low, 1, true);
    check.ending = true;
    check_used(&check, thread->stack_low, thread->stack_top);
    ended_low = ended_low == 0 || thread->stack_low < ended_low ? thread->stack_low : ended_low;
    ended_high = thread->stack_top > ended_high ? thread->stack_top : ended_high;
}

void bpor_race_each_reader(epoch read, void (*visit)(epoch when, void *data), void *data)
{
    if (epoch_tag(read) != TAG_LIST) {
        visit(read, data);
        return;
    }
    for (const struct reader *one = readers_first(read); one; one = readers_next(one))
        visit(one->when, data);
}
