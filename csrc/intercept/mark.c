/* The marks of the optional header bpor.h. */
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/start.h"

void bpor_native_ready(void);
void bpor_native_yield(void);

INTERCEPT void bpor_native_ready(void)
{
    bpor_fork_point(BPOR_FORK_AT_READY);
}

INTERCEPT void bpor_native_yield(void)
{
    if (!bpor_controlled())
        return;
    bpor_operation(OP_YIELD, CALL_SITE);
    bpor_step();
}
