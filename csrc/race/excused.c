/* What the program's annotations exclude from race detection: accesses in regions of its code, and races at bytes that it calls
 * benign. Whenever something is excluded for that reason, the verdict has to say so: shared->excused.
 *
 * Annotations may be made in constructors, before any memory is reserved; therefore the tables are static. */
#include "race/race.h"

enum { RANGES = 1024 };

static struct {
    uint32_t reads;
    uint32_t writes;
} ignored[BPOR_MAX_THREADS]; /* how deep each thread is in regions that ignore them */

static struct range {
    uintptr_t start;
    uintptr_t end;
} benign[RANGES];
static unsigned ranges;

static bool excused(bool is)
{
    if (is)
        bpor->shared->excused = 1;
    return is;
}

static void deepen(uint32_t *depth, int by)
{
    if (by > 0)
        ++*depth;
    else if (*depth > 0)
        --*depth;
}

void bpor_race_ignore(const struct thread *thread, bool reads, bool writes, int by)
{
    if (thread == NULL)
        return;
    if (reads)
        deepen(&ignored[thread->id].reads, by);
    if (writes)
        deepen(&ignored[thread->id].writes, by);
}

bool bpor_race_ignored(const struct thread *thread, bool write)
{
    return excused(write ? ignored[thread->id].writes > 0 : ignored[thread->id].reads > 0);
}

void bpor_race_benign(uintptr_t start, size_t bytes)
{
    if (ranges < RANGES)
        benign[ranges++] = (struct range){start, start + bytes};
    else if (bpor_controlled())
        bpor_end(BPOR_OUTCOME_REFUSED, 0,
                 "more than 1024 ranges are called benign (AnnotateBenignRace); --races=off does without");
}

bool bpor_race_any_benign(void)
{
    return ranges > 0;
}

bool bpor_race_is_benign(uintptr_t byte)
{
    for (unsigned i = 0; i < ranges; i++)
        if (benign[i].start <= byte && byte < benign[i].end)
            return excused(true);
    return false;
}

void bpor_race_benign_forget(uintptr_t start, size_t bytes)
{
    for (unsigned i = ranges; i-- > 0;)
        if (benign[i].start >= start && benign[i].end <= start + bytes)
            benign[i] = benign[--ranges];
}
