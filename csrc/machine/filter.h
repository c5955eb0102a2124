/* Marks of bytes about which nothing more is to be done: the running thread has accessed them since the last scheduling point,
 * and the race detector knows. Trampolines look at them before they call anything: one comparison and one jump for an access.
 *
 * A byte's mark lies at a fixed distance from it, which the segment register gs holds, so that the program's own operand, with
 * that prefix, is the mark's address (Serebryany et al., AddressSanitizer, USENIX ATC 2012, has the idea of the fixed distance).
 * No mark is 0: memory that nobody marked leads to the hook. Without marks (a program of fixed addresses, or one that maps memory
 * where Linux puts none by itself, a limit on address space, a processor without wrgsbase, a program that uses gs itself, a
 * debugger, which cannot set this value) every access calls the hook, as if no byte were marked. */
#ifndef BPOR_FILTER_H
#define BPOR_FILTER_H
#include "memory/recent.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blob;

/* As bpor/machine/filters.py has them: a comparison of eight bytes with the first is one of the shortest. A byte that was written
 * has both. */
enum { MARK_READ = 0xff, MARK_WRITTEN = 0x7f };

/* Once, before the first blob is put to use. */
void bpor_filter_prepare(bool fixed_addresses);
bool bpor_filter_is_on(void);
/* Every access calls the hook from now on. */
void bpor_filter_off(void);
/* The same for a blob that is not in use yet. */
void bpor_filter_cut(struct blob *blob);
/* The program has new memory. Where no marks can be, none are looked at any more: each look there would be a fault. */
void bpor_filter_new_memory(uintptr_t start, size_t bytes);
/* Is gs still ours? Else marks are not looked at any more. */
void bpor_filter_check(void);

/* Another access of these bytes needs nothing, a write only if this was one. */
void bpor_filter_mark(uintptr_t address, size_t bytes, bool write);
/* All marks. */
void bpor_filter_forget_all(void);
/* Those of some bytes, about which more is known now. */
void bpor_filter_unmark(uintptr_t start, size_t bytes);

/* A fault of a look at a mark, which has none there: where the trampoline goes on; 0: it was none. */
uintptr_t bpor_filter_behind(uintptr_t instruction);

extern uint32_t *bpor_filter_marked; /* how many lines may have marks; NULL: there are none */
static inline void bpor_filter_forget(void)
{
    bpor_recent_forget();
    if (bpor_filter_marked && *bpor_filter_marked)
        bpor_filter_forget_all();
}
#endif
