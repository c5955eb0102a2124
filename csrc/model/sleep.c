/* A sleep is always enabled (real time promises no order), counts as a yield and only moves the sleeper's clock. */
#include "model/rules.h"

void sleep_perform(struct thread *thread)
{
    bpor_time_pass(thread, (uint64_t)thread->op.argument);
}
