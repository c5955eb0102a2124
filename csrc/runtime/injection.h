/* Fault injection (--faults): calls that fail as the system may let them fail, each kind at most so many times in one execution.
 * Before such a call there is a step with two alternatives. */
#ifndef BPOR_INJECTION_H
#define BPOR_INJECTION_H
#include "runtime/runtime.h"
#include "state/digest.h"

/* The step; true: the call fails. */
bool bpor_injection_step(enum bpor_fault_kind kind, enum bpor_fault_call call, const void *site);

static inline bool bpor_injects(enum bpor_fault_kind kind, enum bpor_fault_call call, const void *site)
{
    return bpor_self && bpor->shared->config.faults[kind] && bpor_controlled() && bpor_injection_step(kind, call, site);
}

/* How many may still fail decides how the program goes on. */
void bpor_injection_digest(struct digest *set);

/* Where a call is interrupted that might have waited: -1 and EINTR. */
bool bpor_interrupted(enum bpor_fault_call call, const void *site);
#endif
