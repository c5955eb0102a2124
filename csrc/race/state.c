/* FastTrack compares epochs, and every release begins a new one, so epoch numbers never repeat. Future races depend only on how
 * the remembered epochs compare with the clocks of the threads. So - a point is forgotten here that every live thread has seen:
 * it races with nobody any more, because clocks only grow and new
 *   threads have seen what their creators have;
 * - of those that are left, each thread's are numbered from 1 on, in order;
 * - a clock counts as how many of each thread's points it has seen.
 * A thread's own point, which its next accesses get, is later than all of them, and nobody else has seen it until its next
 * release: so its number need not be told. Accesses that decide no race in any execution are left out (sharing.c). Cells of
 * memory that is dead (identity.c) are left out, as its contents are. */
#include "race/state.h"
#include "race/cells.h"
#include "runtime/reserve.h"
#include "state/identity.h"
#include <string.h>

enum { POINTS = 1 << 12, SLOTS = POINTS * 4, FREED = 1, AT_ONCE = 16 };

static struct points {
    unsigned count;
    bool full;
    struct clock *least; /* what every live thread has seen */
    uint64_t sharing;    /* what is known of it (sharing.c) where cells were set aside */
    epoch slot[SLOTS];
    uint16_t used[POINTS]; /* slots */
    epoch point[POINTS];   /* in order */
    struct digest *set;
} * points;

void bpor_race_state_reserve(void)
{
    points = bpor_reserve_kept(sizeof *points);
    points->least = bpor_clock_aside();
}

/* ---- points that are still remembered ---- */

static bool is_live(epoch when)
{
    return when && epoch_tag(when) < BPOR_MAX_THREADS && epoch_clock(when) > points->least->at[epoch_tag(when)];
}

static void add_point(epoch when)
{
    unsigned slot = (when * 2654435761u >> 18) % SLOTS;
    if (!is_live(when))
        return;
    for (; points->slot[slot]; slot = (slot + 1) % SLOTS)
        if (points->slot[slot] == when)
            return;
    if (points->count == POINTS) {
        points->full = true;
        return;
    }
    points->slot[slot] = when;
    points->used[points->count] = (uint16_t)slot;
    points->point[points->count++] = when;
}

static void forget_points(void)
{
    while (points->count > 0)
        points->slot[points->used[--points->count]] = 0;
    points->full = false;
}

static void add_reader(epoch when, void *unused)
{
    (void)unused;
    add_point(when);
}

/* Most bytes of a page were never accessed: several are looked at at once. */
static unsigned skip_empty(const epoch *cell, unsigned at, unsigned count)
{
    while (at + AT_ONCE <= count) {
        epoch any = 0;
        for (unsigned i = 0; i < AT_ONCE; i++)
            any |= cell[at + i];
        if (any)
            break;
        at += AT_ONCE;
    }
    return at;
}

static void add_cells(uintptr_t start, epoch *cell, unsigned count, bool writes)
{
    epoch last = 0;
    for (unsigned i = skip_empty(cell, 0, count); i < count; i = cell[i] ? i + 1 : skip_empty(cell, i + 1, count)) {
        if (cell[i] == last || epoch_tag(cell[i]) == TAG_FREED || !bpor_sharing_counts(start + i, SHARED_PLAIN) ||
            bpor_state_is_dead(start + i))
            continue;
        last = cell[i];
        if (writes)
            add_point(last);
        else
            bpor_race_each_reader(last, add_reader, NULL);
    }
}

/* Whether memory is dead changes without a cell that is set, so it is not asked for here. */
static bool nothing_counts(uintptr_t start, const epoch *cell, unsigned count)
{
    for (unsigned i = skip_empty(cell, 0, count); i < count; i = cell[i] ? i + 1 : skip_empty(cell, i + 1, count))
        if (cell[i] && (epoch_tag(cell[i]) == TAG_FREED || bpor_sharing_counts(start + i, SHARED_PLAIN)))
            return false;
    return true;
}

/* Most memory is one thread's, and most of it is as it was in the state before. */
static void set_cells_aside(void)
{
    uint64_t now = bpor_sharing_version();
    if (points->sharing != now)
        bpor_cells_take_back();
    points->sharing = now;
    bpor_cells_set_aside(nothing_counts);
}

static void add_accesses(uint64_t key, const struct clock *clock)
{
    (void)key;
    for (unsigned i = 0; i < bpor->threads; i++)
        if (clock->at[i])
            add_point(epoch_of(i, clock->at[i]));
}

static void ignore_clock(uint64_t key, const struct clock *clock)
{
    (void)key;
    (void)clock;
}

static void find_least(void)
{
    memset(points->least->at, 0xff, bpor_clock_width * sizeof points->least->at[0]);
    for (unsigned i = 0; i < bpor->threads; i++) {
        if (bpor->thread[i].state == THREAD_FINISHED)
            continue;
        const struct clock *seen = bpor_race_will_see(&bpor->thread[i]);
        for (unsigned k = 0; k < bpor->threads; k++)
            if (seen->at[k] < points->least->at[k])
                points->least->at[k] = seen->at[k];
    }
}

/* Shell's sort: there are few. */
static void sort_points(void)
{
    for (unsigned gap = points->count / 2; gap; gap /= 2)
        for (unsigned i = gap; i < points->count; i++) {
            epoch value = points->point[i];
            unsigned at = i;
            for (; at >= gap && points->point[at - gap] > value; at -= gap)
                points->point[at] = points->point[at - gap];
            points->point[at] = value;
        }
}

/* How many points are not later than this one. */
static unsigned place_of(epoch when)
{
    unsigned low = 0, high = points->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (points->point[middle] <= when)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many of a thread's points a clock has seen that shows this for the thread. */
static unsigned rank(unsigned thread, uint32_t clock)
{
    return place_of(epoch_of(thread, clock)) - place_of(epoch_of(thread, 0));
}

/* ---- the digest ---- */

static uint64_t meaning_of(epoch when)
{
    if (epoch_tag(when) == TAG_FREED)
        return FREED;
    return is_live(when) ? (uint64_t)epoch_tag(when) << 32 | rank(epoch_tag(when), epoch_clock(when)) << 1 : 0;
}

static void sum_reader(epoch when, void *sum)
{
    uint64_t meaning = meaning_of(when);
    *(uint64_t *)sum += meaning ? scramble(meaning) : 0;
}

/* Bytes next to each other with the same history are told as one. */
static void tell_run(uintptr_t start, unsigned count, uint64_t meaning, bool writes)
{
    struct digest run = digest_of(start);
    if (meaning == 0)
        return;
    digest_next(&run, meaning);
    digest_next(&run, (uint64_t)count << 1 | writes);
    digest_include(points->set, run);
}

static void tell_cells(uintptr_t start, epoch *cell, unsigned count, bool writes)
{
    epoch last = 0;
    uint64_t meaning = 0, run = 0;
    unsigned begun = 0;
    for (unsigned i = skip_empty(cell, 0, count); i < count; i = cell[i] || run ? i + 1 : skip_empty(cell, i + 1, count)) {
        if (cell[i] != last) {
            last = cell[i];
            meaning = writes ? meaning_of(last) : 0;
            if (!writes)
                bpor_race_each_reader(last, sum_reader, &meaning);
        }
        bool counts = meaning == FREED || (meaning && bpor_sharing_counts(start + i, SHARED_PLAIN));
        uint64_t here = counts && !bpor_state_is_dead(start + i) ? meaning : 0;
        if (here == run)
            continue;
        tell_run(start + begun, i - begun, run, writes);
        run = here;
        begun = i;
    }
    tell_run(start + begun, count - begun, run, writes);
}

static void tell_clock(uint64_t key, const struct clock *clock)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        unsigned seen = rank(i, clock->at[i]);
        if (seen == 0)
            continue;
        struct digest entry = digest_of(key);
        digest_next(&entry, (uint64_t)i << 32 | seen);
        digest_include(points->set, entry);
    }
}

static void tell_accesses(uint64_t key, const struct clock *clock)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        uint64_t meaning = clock->at[i] ? meaning_of(epoch_of(i, clock->at[i])) : 0;
        if (meaning == 0)
            continue;
        struct digest entry = digest_of(~key);
        digest_next(&entry, meaning);
        digest_include(points->set, entry);
    }
}

const char *bpor_race_state_digest(struct digest *set)
{
    if (bpor_checks != CHECK_RACES)
        return NULL; /* there was one thread: nothing is remembered but what is freed, which the heap tells */
    forget_points();
    points->set = set;
    find_least();
    set_cells_aside();
    bpor_cells_each_kept(add_cells);
    bpor_locations_each_clock(ignore_clock, add_accesses);
    bpor_heap_each_born(add_point);
    if (points->full)
        return "the race detector remembers more unordered accesses than can be compared";
    sort_points();
    bpor_cells_each_kept(tell_cells);
    bpor_locations_each_clock(tell_clock, tell_accesses);
    bpor_race_each_clock(tell_clock);
    bpor_heap_born_digest(set, meaning_of);
    bpor_quarantine_digest(set);
    return NULL;
}
