/* The stack of a thread as a report needs it: return addresses, and what it takes to find the variables that lead to an object.
 */
#ifndef BPOR_TOLD_STACK_H
#define BPOR_TOLD_STACK_H
#include <stdint.h>

struct told_frame {
    uint64_t address;                      /* where the call returns to */
    uint64_t pointer;                      /* the stack pointer at the call */
    uint64_t rbx, rbp, r12, r13, r14, r15; /* the registers that a call keeps */
};

typedef void told_frame(const struct told_frame *frame);
/* The frames of the calling thread, innermost first; returns the stack pointer of the first. */
uintptr_t bpor_told_frames(told_frame *tell);

typedef void told_word(uint64_t where, uint64_t word);
/* The words of the calling thread's stack from `start` on that point into heap memory, freed or not, into a mapping or
 * into a stack. */
void bpor_told_words(uintptr_t start, told_word *tell);
/* The same of the static variables of the program and its libraries: `pool` in `pool->lock` is often one. */
void bpor_told_static_words(told_word *tell);
#endif
