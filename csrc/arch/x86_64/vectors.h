/* Registers that are the program's and that our code, or another thread, may change while an access is told: vectors of 16, 32 and
 * 64 bytes, masks, the control of their arithmetic; x87 and MMX, if they are in use.
 *
 * By moves, because xsave and xrstor together take 160 ns, which is ten times as long. The processor knows what is in use (XINUSE,
 * Intel's manual, volume 1, 13.6): what is not is zero. */
#ifndef BPOR_VECTORS_H
#define BPOR_VECTORS_H
#include <stdbool.h>

/* Bytes of an area, which is aligned to 64. */
#define VECTORS_BYTES "2688"

/* Once, before the first use. False: this processor has registers that are not known here. */
bool bpor_vectors_prepare(void);
/* Of and from the area that rdi points to. For callers in assembler: rax, rcx and rdx are changed, no other general register. */
__attribute__((visibility("hidden"))) void bpor_vectors_save(void);
__attribute__((visibility("hidden"))) void bpor_vectors_restore(void);
#endif
