/* A walk up the stack of the running thread. Code that moves its stack pointer without describing it in the unwind tables, as
 * assembler code may, misleads the walk. The walk then ends there; a fault in it is not reported as a crash of the program. */
#ifndef BPOR_UNWINDING_H
#define BPOR_UNWINDING_H
#include <unwind.h>

void bpor_unwind(_Unwind_Trace_Fn visit, void *data);
/* A fatal signal: does not return if it is the walk's. */
void bpor_unwinding_failed(void);
#endif
