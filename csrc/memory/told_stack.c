#define _GNU_SOURCE
#include "memory/told_stack.h"
#include "memory/mappings.h"
#include "process/libraries.h"
#include "race/race.h"
#include "runtime/objects.h"
#include "runtime/runtime.h"
#include "runtime/unwinding.h"
#include "trust/trust.h"
#include <link.h>

/* Numbers of registers in DWARF (System V ABI, AMD64 supplement, figure 3.36). */
enum { RBX = 3, RBP = 6, R12 = 12, R13 = 13, R14 = 14, R15 = 15 };
enum { MOST_SCANNED = 2048, MOST_TOLD = 96 };               /* words of a stack: to the heap, and as many to stacks */
enum { MOST_STATIC_SCANNED = 8192, MOST_STATIC_TOLD = 64 }; /* words of static variables, of all modules */

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
        .r14 = _Unwind_GetGR(context, R14),
        .r15 = _Unwind_GetGR(context, R15),
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

/* Freed memory too: a report about its use needs the name that it had. */
static bool is_allocated(uintptr_t address)
{
    return bpor_heap_find(address) != NULL || bpor_mapping_find(address) != NULL || bpor_quarantine_find(address) != NULL;
}

void bpor_told_words(uintptr_t start, told_word *tell)
{
    const struct thread *owner = bpor_stack_owner(start);
    uintptr_t end = start + MOST_SCANNED * sizeof(uint64_t);
    unsigned to_heap = 0, to_stacks = 0;
    if (owner == NULL)
        return; /* a stack of the program's own: nobody knows where it ends */
    if (end > owner->stack_top)
        end = owner->stack_top;
    for (const uint64_t *word = (const uint64_t *)(start & ~(uintptr_t)7); (uintptr_t)(word + 1) <= end; word++) {
        unsigned *told = *word == 0 ? NULL : is_allocated(*word) ? &to_heap : bpor_stack_owner(*word) ? &to_stacks : NULL;
        if (told != NULL && (*told)++ < MOST_TOLD)
            tell((uintptr_t)word, *word);
    }
}

struct static_look {
    told_word *tell;
    unsigned scanned, told;
};

static void look_at_range(struct static_look *look, uintptr_t start, uintptr_t end)
{
    for (const uint64_t *word = (const uint64_t *)((start + 7) & ~(uintptr_t)7); (uintptr_t)(word + 1) <= end; word++) {
        if (look->scanned == MOST_STATIC_SCANNED || look->told == MOST_STATIC_TOLD)
            return;
        look->scanned++;
        if (*word != 0 && is_allocated(*word)) {
            look->tell((uintptr_t)word, *word);
            look->told++;
        }
    }
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct static_look *look = data;
    (void)size;
    if (bpor_library_is_system(
            info->dlpi_name)) /* its static variables lead to no object of the program's that has a name there */
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_flags & PF_W)
            look_at_range(look, start, start + header->p_memsz);
    }
    return look->scanned == MOST_STATIC_SCANNED || look->told == MOST_STATIC_TOLD;
}

void bpor_told_static_words(told_word *tell)
{
    struct static_look look = {tell, 0, 0};
    bool was_shielded = bpor_self->shielded;
    bpor_self->shielded = true; /* the loader's list is behind a lock */
    dl_iterate_phdr(look_at_module, &look);
    bpor_self->shielded = was_shielded;
}
