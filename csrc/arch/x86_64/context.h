/* A suspended flow of control: a stack that holds the saved registers, and the thread pointer that belongs to it (x86-64). */
#ifndef BPOR_CONTEXT_H
#define BPOR_CONTEXT_H
#include "arch/x86_64/control_state.h"
#include <stdbool.h>
#include <stdint.h>

struct context {
    uint64_t stack;          /* top of the saved registers */
    uint64_t thread_pointer; /* fs base: libc's thread, its TLS */
    struct control_state control;
};

/* What a function finds unchanged after a call: together with the memory from `stack` on, all that its caller goes on with. */
struct registers {
    uint64_t saved[6]; /* rbx, rbp, r12 to r15 */
    uint64_t stack;
    uint64_t instruction;
    struct control_state control;
};

/* Notes the caller's registers, without the control state, as they are when this call has returned. */
__attribute__((visibility("hidden"))) void bpor_context_note(struct registers *registers);
/* Clears the registers that a call does not preserve. Where code is stopped between two instructions, all registers are part of
 * its state, even those that it will not read. */
static inline void bpor_context_clear(void)
{
    __asm__ volatile("xor %%ecx, %%ecx\n xor %%edx, %%edx\n xor %%esi, %%esi\n xor %%edi, %%edi\n"
                     "xor %%r8d, %%r8d\n xor %%r9d, %%r9d\n xor %%r10d, %%r10d\n xor %%r11d, %%r11d\n"
                     ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n pxor %%xmm\\n, %%xmm\\n\n .endr"
                     :
                     :
                     : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
                       "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
/* Likewise, in the parts of vectors that the instructions above leave alone, and in masks. */
void bpor_context_clear_wide(void);
/* Saves the caller in `from`, goes on in `to`. The compiler may keep nothing but locals across it: see runtime.h. */
void bpor_context_switch(struct context *from, const struct context *to);
/* A context that calls entry() on the given stack; entry must not return. It inherits the caller's control state, as a thread
 * does. */
void bpor_context_make(struct context *context, void *stack_top, uint64_t thread_pointer, void (*entry)(void));
/* The processor compares return addresses with a copy of its own: they have to stay as they are. */
bool bpor_shadow_stack_active(void);
/* NULL, or why switching by hand would break something. To be asked before the program runs: then the rights to the keys of
 * memory protection are those of a thread (beside/key.c takes some away). */
const char *bpor_context_problem(void);
void bpor_context_prepare(void);
#endif
