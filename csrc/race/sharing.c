/* Which parts of the race detector's memory can decide a future race? An earlier access of a word can do so only if another
 * thread accesses the word too and one of them writes; an atomic access can do so only if the place is also accessed
 * non-atomically. Everything else is left out of state identities (state.c): stacks, data that is only read, and most atomic
 * objects.
 *
 * All executions count, not only the current one: a state whose past has one of two accesses may be matched with a state whose
 * past lacks it, and only the future of the latter, explored long ago, shows the other access. So this table is never rolled
 * back. Several words share an entry: a word that is wrongly taken for shared costs states, never a race. Whenever a word turns
 * out to matter, identities change and the search begins again; after MOST such executions it is asked of pages what was asked of
 * words, because a library goes on finding words of the same few pages, and after MOST more every word counts. */
#include "race/race.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"

enum { SLOT_BITS = 17, SLOTS = 1 << SLOT_BITS, MOST = 16, LONGEST = SLOTS / 8 };
enum { BY_MANY = 1, IS_WRITTEN = 2, IS_PLAIN = 4, IS_ATOMIC = 8 };
enum { WORDS, PAGES, GRAINS };
static const uint8_t shift_of[GRAINS] = {2 /* a variable next to it may be another one */, 12};

static struct sharing {
    unsigned grain;
    unsigned changes; /* executions that changed it */
    uint64_t version; /* of what matters */
    struct piece {
        uint16_t first; /* thread + 1 */
        uint8_t facts;
    } piece[GRAINS][SLOTS];
} * sharing;

static bool *changed_now; /* by the execution that runs */

void bpor_sharing_reserve(void)
{
    sharing = bpor_reserve_kept(sizeof *sharing);
    changed_now = bpor_reserve(sizeof *changed_now);
}

bool bpor_sharing_outlives_forks(void)
{
    return sharing == NULL || bpor_reserve_share(sharing, sizeof *sharing);
}

static bool everything_counts(void)
{
    return bpor->shared->past_read & BPOR_PAST_EVERYTHING;
}

static struct piece *piece_at(unsigned grain, uint64_t number)
{
    return &sharing->piece[grain][number * 0x9e3779b97f4a7c15u >> (64 - SLOT_BITS)];
}

static bool has(const struct piece *piece, unsigned facts)
{
    return (piece->facts & facts) == facts;
}

/* What of it matters, a bit for each kind. */
static unsigned matters(const struct piece *piece)
{
    if (!has(piece, BY_MANY | IS_WRITTEN))
        return 0;
    return 1u << SHARED_PLAIN | (has(piece, IS_PLAIN | IS_ATOMIC) ? 1u << SHARED_ATOMICS : 0);
}

static void change(void)
{
    sharing->version++;
    if (*changed_now)
        return;
    *changed_now = true;
    bpor->shared->past_read += BPOR_PAST_CHANGES;
    if (++sharing->changes < MOST)
        return;
    sharing->changes = 0;
    if (++sharing->grain == GRAINS)
        bpor->shared->past_read |= BPOR_PAST_EVERYTHING;
}

/* True: what matters has changed. */
static bool note_at(unsigned grain, const struct thread *thread, uintptr_t address, size_t bytes, unsigned facts)
{
    bool changes = false;
    const unsigned shift = shift_of[grain];
    for (uintptr_t number = address >> shift; number <= (address + bytes - 1) >> shift; number++) {
        struct piece *piece = piece_at(grain, number);
        unsigned before = matters(piece);
        if (piece->first == 0)
            piece->first = thread->id + 1;
        piece->facts |= (uint8_t)(facts | (piece->first == thread->id + 1 ? 0 : BY_MANY));
        changes |= matters(piece) != before;
    }
    return changes;
}

/* Noting it would change nothing. */
static inline bool is_noted(unsigned grain, const struct thread *thread, uintptr_t address, unsigned facts)
{
    const struct piece *piece = piece_at(grain, address >> shift_of[grain]);
    return has(piece, facts) && (piece->first == thread->id + 1 || has(piece, BY_MANY));
}

/* An access of at most two words, as most are: most of those repeat an access of an earlier execution. */
static inline bool is_old(const struct thread *thread, uintptr_t address, size_t bytes, unsigned facts)
{
    uintptr_t last = address + bytes - 1;
    return (last >> shift_of[WORDS]) - (address >> shift_of[WORDS]) <= 1 && is_noted(WORDS, thread, address, facts) &&
           is_noted(WORDS, thread, last, facts) && is_noted(PAGES, thread, address, facts) &&
           address >> shift_of[PAGES] == last >> shift_of[PAGES];
}

static void note(const struct thread *thread, uintptr_t address, size_t bytes, unsigned facts)
{
    const struct thread *owner = bpor_stack_owner(address);
    if (everything_counts())
        return;
    if (owner && owner != thread) /* whose end is a write */
        facts |= BY_MANY | IS_WRITTEN | IS_PLAIN;
    if (is_old(thread, address, bytes, facts))
        return;
    for (unsigned grain = GRAINS; grain-- > sharing->grain + 1;)
        note_at(grain, thread, address, bytes, facts); /* for later */
    if (note_at(sharing->grain, thread, address, bytes, facts))
        change();
}

void bpor_sharing_atomic(const struct thread *thread, uintptr_t address, size_t bytes, bool write)
{
    note(thread, address, bytes, IS_ATOMIC | (write ? IS_WRITTEN : 0));
}

void bpor_sharing_plain(const struct thread *thread, uintptr_t address, size_t bytes, bool write)
{
    if (bytes >> shift_of[WORDS] > LONGEST)
        bpor->shared->past_read |= BPOR_PAST_EVERYTHING;
    note(thread, address, bytes, IS_PLAIN | (write ? IS_WRITTEN : 0));
}

bool bpor_sharing_counts(uintptr_t address, enum sharing_kind kind)
{
    const unsigned grain = sharing->grain;
    return everything_counts() || matters(piece_at(grain, address >> shift_of[grain])) & 1u << kind;
}

uint64_t bpor_sharing_version(void)
{
    return everything_counts() ? UINT64_MAX : sharing->version;
}
