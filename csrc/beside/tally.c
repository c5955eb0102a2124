/* Invariant: traces counts executions that ended by themselves, never redundant, over-bound or cut ones. */
#include "beside/tally.h"
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

_Static_assert(sizeof((struct bpor_tally *)0)->ended == BPOR_TALLY_SIZE * sizeof(uint64_t), "an entry for every way to end");

void tally_begin(struct bpor_tally *tally)
{
    memset(tally, 0, offsetof(struct bpor_tally, traces));
    distinct_begin(&tally->traces);
    distinct_begin(&tally->states);
}

static unsigned exited(int code)
{
    return code ? BPOR_OUTCOME_EXIT : BPOR_TALLY_PASSED;
}

unsigned tally_index(const struct bpor_end *end)
{
    int status = (int)end->wait_status;
    if (end->outcome == BPOR_OUTCOME_EXIT)
        return exited(end->code);
    if (end->outcome != BPOR_OUTCOME_NONE)
        return end->outcome;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGKILL ? BPOR_TALLY_KILLED : BPOR_OUTCOME_CRASH;
    return exited(WEXITSTATUS(status));
}

bool tally_is_bug(unsigned how)
{
    return how == BPOR_OUTCOME_DEADLOCK || how == BPOR_OUTCOME_ASSERTION || how == BPOR_OUTCOME_CRASH ||
           how == BPOR_OUTCOME_TERMINATE || how == BPOR_OUTCOME_EXIT || how == BPOR_OUTCOME_MISUSE || how == BPOR_OUTCOME_RACE ||
           how == BPOR_OUTCOME_MEMORY || how == BPOR_OUTCOME_NONLINEARIZABLE;
}

bool tally_is_complete(unsigned how)
{
    return how == BPOR_TALLY_PASSED || how == BPOR_OUTCOME_ASSUMED || tally_is_bug(how);
}

void tally_ended(struct bpor_tally *tally, unsigned how, uint64_t trace_hash, uint64_t new_steps, const struct bpor_end *end,
                 uint64_t cap)
{
    tally->executions++;
    tally->ended[how]++;
    tally->steps += new_steps;
    tally->made += end->steps;
    tally->refused += end->refused_by_bound;
    tally->lost += end->lost;
    if (tally->lost_at == 0)
        tally->lost_at = end->lost_at;
    if (tally->counting_at == 0)
        tally->counting_at = end->counting_at;
    if (tally->threads < end->threads)
        tally->threads = end->threads;
    if (tally_is_complete(how) && how != BPOR_OUTCOME_ASSUMED)
        distinct_add(&tally->traces, trace_hash, cap);
}
