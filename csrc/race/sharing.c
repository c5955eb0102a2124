/* Which parts of the race detector's memory can decide a future race? An earlier access of a word can do so only if another
 * thread accesses the word too and one of them writes; an atomic access can do so only if the place is also accessed
 * non-atomically. Everything else is left out of state identities (state.c): stacks, data that is only read, and most atomic
 * objects.
 *
 * All executions count, not only the current one: a state whose past has one of two accesses may be matched with a state whose
 * past lacks it, and only the future of the latter, explored long ago, shows the other access. So this table is never rolled
 * back. Several words share an entry: a word that is wrongly taken for shared costs states, never a race. Whenever a word turns
 * out to matter, identities change and the search begins again; after MOST such executions every word counts. */
#include "race/race.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"

enum {
    SLOT_BITS = 17,
    SLOTS = 1 << SLOT_BITS,
    WORD = 4, /* a variable next to it may be another one */
    MOST = 16,
    LONGEST = SLOTS / 8
};
enum { BY_MANY = 1, IS_WRITTEN = 2, IS_PLAIN = 4, IS_ATOMIC = 8 };

static struct sharing {
    unsigned changes; /* executions that changed it */
    struct word {
        uint16_t first; /* thread + 1 */
        uint8_t facts;
    } word[SLOTS];
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

static struct word *word_at(uint64_t number)
{
    return &sharing->word[number * 0x9e3779b97f4a7c15u >> (64 - SLOT_BITS)];
}

static bool has(const struct word *word, unsigned facts)
{
    return (word->facts & facts) == facts;
}

/* What of it matters, a bit for each kind. */
static unsigned matters(const struct word *word)
{
    if (!has(word, BY_MANY | IS_WRITTEN))
        return 0;
    return 1u << SHARED_PLAIN | (has(word, IS_PLAIN | IS_ATOMIC) ? 1u << SHARED_ATOMICS : 0);
}

static void change(void)
{
    if (*changed_now)
        return;
    *changed_now = true;
    bpor->shared->past_read += BPOR_PAST_CHANGES;
    if (++sharing->changes >= MOST)
        bpor->shared->past_read |= BPOR_PAST_EVERYTHING;
}

static void note(const struct thread *thread, uintptr_t address, size_t bytes, unsigned facts)
{
    const struct thread *owner = bpor_stack_owner(address);
    bool changes = false;
    if (everything_counts())
        return;
    if (owner && owner != thread) /* whose end is a write */
        facts |= BY_MANY | IS_WRITTEN | IS_PLAIN;
    for (uintptr_t number = address / WORD; number <= (address + bytes - 1) / WORD; number++) {
        struct word *word = word_at(number);
        unsigned before = matters(word);
        if (word->first == 0)
            word->first = thread->id + 1;
        word->facts |= (uint8_t)(facts | (word->first == thread->id + 1 ? 0 : BY_MANY));
        changes |= matters(word) != before;
    }
    if (changes)
        change();
}

void bpor_sharing_atomic(const struct thread *thread, uintptr_t address, size_t bytes, bool write)
{
    note(thread, address, bytes, IS_ATOMIC | (write ? IS_WRITTEN : 0));
}

void bpor_sharing_plain(const struct thread *thread, uintptr_t address, size_t bytes, bool write)
{
    if (bytes / WORD > LONGEST)
        bpor->shared->past_read |= BPOR_PAST_EVERYTHING;
    note(thread, address, bytes, IS_PLAIN | (write ? IS_WRITTEN : 0));
}

bool bpor_sharing_counts(uintptr_t address, enum sharing_kind kind)
{
    return everything_counts() || matters(word_at(address / WORD)) & 1u << kind;
}
