/* The standard streams of C++. The standard lets threads use one at once ([iostream.objects.overview]), and libstdc++ does so
 * without order: each line of output sets the width in the stream's own members back to 0, each input the count of letters, the
 * first number the letter that fills. Else every two lines of output would be run in both orders, what the library's own code
 * does there without changing anything is taken for a look, and what it counts for nobody's but the program's to see. A change,
 * and another use in no order with it, are told as a race of plain moves is, so that all uses become operations. What else a
 * stream keeps (its format, state and buffer) is written only by who means to change it. Other streams are objects like any. */
#define _GNU_SOURCE
#include "memory/instrumented.h"
#include "memory/memory.h"
#include "race/clocks.h"
#include "race/race.h"
#include "runtime/reserve.h"
#include <dlfcn.h>
#include <string.h>

static const char *const names[] = {"_ZSt4cout",  "_ZSt4cerr",  "_ZSt4clog",  "_ZSt3cin",
                                    "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog", "_ZSt4wcin"};
static const char of_the_library[] = "_ZNSo5flushEv";
enum { STREAMS = sizeof names / sizeof *names, KINDS = 3 };

/* What libstdc++'s binary interface fixes: the members of std::ios_base begin with a table, the precision and the width, behind
 * all of them are the tied stream and the letter that fills (with whether it is known); those of std::istream, which come before
 * them, begin with a table and the count of letters. */
enum {
    MEMBER = sizeof(long),
    COUNT = MEMBER,
    WIDTH = 2 * MEMBER,
    IOS_OF_OUTPUT = MEMBER,
    IOS_OF_INPUT = 2 * MEMBER,
    FILL = 28 * MEMBER
};

enum kind { IS_WIDTH, IS_FILL, IS_COUNT };

static struct member {
    enum kind kind;
    uintptr_t start;
    struct clock *last[2][2]; /* uses of each thread: by the library (1) or the program (0), changes (1) or looks (0) */
} * members;
static unsigned count;
static const void *library;
static uintptr_t low, high; /* of the members, all else lies outside */

static void add(enum kind kind, uintptr_t start)
{
    members[count++] = (struct member){.kind = kind, .start = start};
    low = low == 0 || start < low ? start : low;
    high = start + MEMBER > high ? start + MEMBER : high;
}

void bpor_race_streams_reserve(void)
{
    members = bpor_reserve(KINDS * STREAMS * sizeof *members);
}

/* A program may have its own copy of such an object (a copy relocation), so the name is looked up as the dynamic linker does.
 * Where the library does not tell its accesses, those of the program are like any. */
void bpor_race_find_standard_streams(void)
{
    library = dlsym(RTLD_DEFAULT, of_the_library);
    for (unsigned i = 0; i < STREAMS && bpor_instrumented_code(library); i++) {
        uintptr_t object = (uintptr_t)dlsym(RTLD_DEFAULT, names[i]);
        bool reads = strcmp(&names[i][strlen(names[i]) - 2], "in") == 0;
        if (object == 0)
            continue;
        add(IS_WIDTH, object + (reads ? IOS_OF_INPUT : IOS_OF_OUTPUT) + WIDTH);
        add(IS_FILL, object + (reads ? IOS_OF_INPUT : IOS_OF_OUTPUT) + FILL);
        if (reads)
            add(IS_COUNT, object + COUNT);
    }
}

/* The fast path of patched accesses asks, too, and has general registers only. */
#define GENERAL_REGISTERS __attribute__((target("general-regs-only")))

GENERAL_REGISTERS static struct member *member_of(uintptr_t address)
{
    for (unsigned i = 0; i < count && address - low < high - low; i++)
        if (address - members[i].start < MEMBER)
            return &members[i];
    return NULL;
}

GENERAL_REGISTERS bool bpor_race_in_standard_stream(uintptr_t address)
{
    return member_of(address) != NULL;
}

/* The library writes the width to set it back to 0, and the letter that fills to say that it is a blank. */
static bool library_changes(const struct member *member)
{
    return member->kind == IS_COUNT || (member->kind == IS_WIDTH && *(const long *)member->start != 0);
}

/* A thread that has used it in no order with this, and one of the two changes something; or BPOR_NO_THREAD. */
static unsigned in_conflict(const struct member *member, const struct clock *seen, bool by_library, bool changes)
{
    unsigned other = BPOR_NO_THREAD;
    for (unsigned library = 0; library < 2 && other == BPOR_NO_THREAD; library++) {
        if (by_library && library && member->kind == IS_COUNT)
            continue;
        other = clock_unseen(member->last[library][1], seen);
        if (other == BPOR_NO_THREAD && changes)
            other = clock_unseen(member->last[library][0], seen);
    }
    return other;
}

bool bpor_race_excuse_stream(const struct thread *thread, uintptr_t address, bool write, const void *site)
{
    struct member *member = member_of(address);
    if (member == NULL || bpor_visible_place(member->start, MEMBER))
        return member != NULL;
    bool by_library = bpor_instrumented_beside(site, library);
    bool changes = write && (!by_library || library_changes(member));
    unsigned other = in_conflict(member, bpor_race_seen(thread), by_library, changes);
    clock_made(&member->last[by_library][changes])->at[thread->id] = epoch_clock(bpor_race_epoch(thread));
    if (other != BPOR_NO_THREAD)
        bpor_race_report(
            &(struct race){.address = member->start, .bytes = MEMBER, .write = true, .other = other, .other_wrote = true});
    return true;
}
