/* System calls that the program makes by an instruction of its own, without libc: nobody is told what they read, write and
 * change, so the verdict names them. The guard sees them where it stands. */
#ifndef BPOR_BARE_CALLS_H
#define BPOR_BARE_CALLS_H
#include <stdint.h>

void bpor_bare_calls_reserve(void);
/* Which code is the system's, as it is loaded now. */
void bpor_bare_calls_look(void);
void bpor_bare_call_note(long number, uintptr_t address);
#endif
