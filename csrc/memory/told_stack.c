#define _GNU_SOURCE
#include "memory/told_stack.h"
#include "runtime/objects.h"
#include "runtime/runtime.h"
#include "runtime/unwinding.h"
#include "trust/trust.h"

/* Numbers of registers in DWARF (System V ABI, AMD64 supplement, figure 3.36). */
enum { RBX = 3, RBP = 6, R12 = 12, R13 = 13 };
enum { MOST_SCANNED = 2048, MOST_TOLD = 96 }; /* words */

struct look {
    told_frame *tell;
    unsigned count;
    uintptr_t first;
    bool past_place; /* the last frame was that of an address in the place of a return address (trust/calls.c) */
};

/* libgcc calls it with what the registers were at the call, and with the callee's CFA, which is the stack pointer there. */
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *data)
{
    struct look *look = data;
    int exact = 0; /* a signal's frame: the instruction itself, not the one after a call */
    uintptr_t address = _Unwind_GetIPInfo(context, &exact) + (exact != 0);
    if (address == 0 || look->count == BPOR_MAX_FRAMES)
        return _URC_END_OF_STACK;
    uintptr_t pointer = _Unwind_GetCFA(context) - (look->past_place ? sizeof(uintptr_t) : 0);
    look->past_place = bpor_trust_original(address) != address;
    if (look->past_place)
        return _URC_NO_REASON;
    struct told_frame frame = {
        .address = address,
        .pointer = pointer,
        .rbx = _Unwind_GetGR(context, RBX),
        .rbp = _Unwind_GetGR(context, RBP),
        .r12 = _Unwind_GetGR(context, R12),
        .r13 = _Unwind_GetGR(context, R13),
    };
    look->tell(&frame);
    if (look->count++ == 0)
        look->first = frame.pointer;
    return _URC_NO_REASON;
}

uintptr_t bpor_told_frames(told_frame *tell)
{
    struct look look = {tell, 0, 0, false};
    bool was_shielded = bpor_self->shielded;
    bpor_self->shielded = true; /* the unwinder takes locks */
    bpor_unwind(look_at_frame, &look);
    bpor_self->shielded = was_shielded;
    return look.first;
}

void bpor_told_words(uintptr_t start, told_word *tell)
{
    const struct thread *owner = bpor_stack_owner(start);
    uintptr_t end = start + MOST_SCANNED * sizeof(uint64_t);
    unsigned told = 0;
    if (owner == NULL)
        return; /* a stack of the program's own: nobody knows where it ends */
    if (end > owner->stack_top)
        end = owner->stack_top;
    for (const uint64_t *word = (const uint64_t *)(start & ~(uintptr_t)7); (uintptr_t)(word + 1) <= end && told < MOST_TOLD;
         word++)
        if (bpor_heap_find(*word) != NULL) {
            tell((uintptr_t)word, *word);
            told++;
        }
}
