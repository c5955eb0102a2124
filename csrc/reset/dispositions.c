/* The table lies in memory that outlives executions, because it says what has to be put back. */
#include "reset/dispositions.h"
#include "carrier/masks.h"
#include "reset/signal_state.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"

enum { SIGNALS = 64 };

static struct dispositions {
    uint64_t changed; /* by this execution: bit n - 1 */
    struct kernel_sigaction before[SIGNALS + 1];
} * dispositions;

void bpor_dispositions_reserve(void)
{
    dispositions = bpor_reserve_kept(sizeof *dispositions);
}

long bpor_disposition_change(const long *argument)
{
    struct kernel_sigaction action, old;
    unsigned number = (unsigned)argument[0];
    if (argument[1]) {
        bpor_signal_state_touched();
        action = *(const struct kernel_sigaction *)argument[1];
        action.mask &= ~bpor_mask_open();
    }
    long error = sys_call4(SYS_rt_sigaction, number, argument[1] ? &action : NULL, &old, sizeof action.mask);
    if (error)
        return error;
    if (argument[1] && !(dispositions->changed >> (number - 1) & 1)) {
        dispositions->changed |= 1ull << (number - 1);
        dispositions->before[number] = old;
    }
    if (argument[2])
        *(struct kernel_sigaction *)argument[2] = old;
    return 0;
}

bool bpor_dispositions_changed(void)
{
    return dispositions->changed != 0;
}

void bpor_dispositions_undo(void)
{
    for (unsigned number = 1; dispositions->changed; number++, dispositions->changed >>= 1)
        if (dispositions->changed & 1)
            sys_call4(SYS_rt_sigaction, number, &dispositions->before[number], 0, sizeof dispositions->before[number].mask);
}

static struct digest digest_action(unsigned number)
{
    struct kernel_sigaction action = {0};
    struct digest sequence = digest_of(number);
    sys_call4(SYS_rt_sigaction, number, NULL, &action, sizeof action.mask);
    digest_next(&sequence, (uint64_t)action.handler);
    digest_next(&sequence, action.flags);
    digest_next(&sequence, action.mask);
    return sequence;
}

void bpor_dispositions_digest(struct digest *set)
{
    for (unsigned number = 1; number <= SIGNALS; number++)
        if (dispositions->changed >> (number - 1) & 1)
            digest_include(set, digest_action(number));
}
