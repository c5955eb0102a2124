/* --trust: code whose inside is not explored. All that a thread does in one call of trusted code is part of the step with which
 * the call begins, as long as the thread does not block. Each such step writes one object, so that every order of the calls is
 * explored. A call of code that is declared independent is not even a step.
 *
 * Invariants: the runtime performs nothing that the program does not do, so every bug that is found is real. Where it is not
 * certain that a thread is still in the same call, the thread counts as having left it. Only objects that no other code uses are
 * accessed without a step. */
#ifndef BPOR_TRUST_H
#define BPOR_TRUST_H
#include "runtime/runtime.h"

/* Is any code trusted? */
extern bool bpor_trusts;

enum trust {
    TRUST_NONE,
    TRUST_ATOMIC,
    TRUST_INDEPENDENT,
    TRUST_OF_CALLER /* a language's runtime: as its caller */
};

/* code.c: of the code around an address. */
enum trust bpor_trust_of(uintptr_t address);
static inline bool bpor_trusted_code(uintptr_t address)
{
    enum trust trust = bpor_trust_of(address);
    return trust == TRUST_ATOMIC || trust == TRUST_INDEPENDENT;
}
/* Modules may have been loaded since the last look. */
void bpor_trust_look(void);

/* calls.c: the caller is in trusted code: the number of its innermost call from other code, whose return will be noticed.
 * NO_CALL: it will not. */
enum { NO_CALL = 0 };
uint64_t bpor_trust_call(struct thread *self);
/* The caller is in code of a language's runtime: what called that? */
enum trust bpor_trust_of_caller(struct thread *self);
void bpor_trust_calls_reserve(void);
/* Where a call returns to, of an address that stands in its place; any other address as it is. */
uintptr_t bpor_trust_original(uintptr_t address);
struct found_tables {
    void *start;
    void *end;
    void *tables;
};
/* What the unwinder wants to know of such an address. */
bool bpor_trust_tables(uintptr_t address, struct found_tables *found);
/* arch/x86_64/returned.c calls it: the call whose return address stood here is over. */
uintptr_t bpor_trust_returned(unsigned number);

/* trust.c: a call is over. */
void bpor_trust_left(struct thread *self);
/* The thread's operation is to be done at once, and is no step. */
bool bpor_trust_unseen(struct thread *self);
/* It was done so. */
void bpor_trust_done(struct thread *self);
/* A step was performed, which may have changed what it touches: it still conflicts with all others of trusted code. */
void bpor_trust_keep(struct thread *self);
void bpor_trust_reserve(void);
#endif
