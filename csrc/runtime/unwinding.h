/* A walk up the stack of whoever runs. Code that moves its stack pointer without telling the unwinder's tables, as assembler may,
 * leads it astray: then the walk ends there, and is not the program's crash. */
#ifndef BPOR_UNWINDING_H
#define BPOR_UNWINDING_H
#include <unwind.h>

void bpor_unwind(_Unwind_Trace_Fn visit, void *data);
/* A fatal signal: does not return if it is the walk's. */
void bpor_unwinding_failed(void);
#endif
