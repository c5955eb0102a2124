#include "runtime/unwinding.h"
#include "machine/machine.h"

enum { WORDS = 5 }; /* of __builtin_setjmp */
static void **out;  /* of the walk that is under way */

void bpor_unwinding_failed(void)
{
    void **there = out;
    out = NULL;
    if (there)
        __builtin_longjmp(there, 1);
}

void bpor_unwind(_Unwind_Trace_Fn visit, void *data)
{
    void *here[WORDS];
    bpor_machine_unwindable(true);
    if (__builtin_setjmp(here) == 0) {
        out = here;
        _Unwind_Backtrace(visit, data);
    }
    out = NULL;
    bpor_machine_unwindable(false);
}
