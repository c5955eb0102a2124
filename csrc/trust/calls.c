/* When does a call of trusted code end? Nothing in a thread's memory distinguishes one call from the next one at the same place,
 * so the return address is replaced by one of ours (arch/x86_64/returned.h). A call that ends otherwise (an exception, longjmp,
 * pthread_exit) leaves its entry behind, which is dropped once the stack has grown over it. So for each operation it is checked
 * in which call it is made; this also covers callbacks that trusted code calls. The unwinder finds the real address by a table of
 * its own for each slot (DWARF 4, 6.4): that of the return address lies in `back`. */
#pragma GCC target("general-regs-only")
#include "arch/x86_64/returned.h"
#include "machine/machine.h"
#include "runtime/real.h"
#include "runtime/reserve.h"
#include "runtime/unwinding.h"
#include "trust/trust.h"
#include <string.h>

enum { COMMON_BYTES = 24, ENTRY_BYTES = 40, BYTES = COMMON_BYTES + RETURNED_SLOTS * ENTRY_BYTES + 8 };

static struct call {
    uintptr_t back;   /* where it returns to; 0: nobody's */
    uintptr_t *place; /* of the return address */
    uint64_t number;  /* of all calls of this execution */
    uint16_t thread;
} * calls;
static uint64_t *calls_made;

static uint8_t *tables;
/* As machine/unwind.c has it: a table without an index. */
static struct {
    uint8_t version, address_as, count_as, index_as;
    uint8_t entries[8];
} header = {1, 0x0c, 0xff, 0xff, {0}};

/* The caller's stack pointer is that of the frame. Its CFA is another address than it would be without the frame: by their CFAs
 * the unwinder tells frames from each other. */
static const uint8_t common[COMMON_BYTES] = {20, 0,    0,  0, 0, 0,    0, 0, 1,    'z', 'R', 0,
                                             1,  0x78, 16, 1, 0, 0x0c, 7, 8, 0x14, 7,   1,   0};

static uintptr_t slot(unsigned number)
{
    return (uintptr_t)bpor_returned_slots + (uintptr_t)number * RETURNED_BYTES;
}

static uintptr_t entry_of(unsigned number)
{
    return slot(number) + RETURNED_ENTRY;
}

/* "The return address (column 16) is saved at this address". */
static void write_entry(unsigned number)
{
    uint8_t *entry = tables + COMMON_BYTES + number * ENTRY_BYTES;
    uint32_t length = ENTRY_BYTES - 4, back = (uint32_t)(COMMON_BYTES + number * ENTRY_BYTES + 4);
    uint64_t start = slot(number), range = RETURNED_BYTES, where = (uint64_t)&calls[number].back;
    memset(entry, 0, ENTRY_BYTES);
    memcpy(entry, &length, 4);
    memcpy(entry + 4, &back, 4);
    memcpy(entry + 8, &start, 8);
    memcpy(entry + 16, &range, 8);
    memcpy(entry + 25, (const uint8_t[]){0x10, 16, 9, 0x03}, 4);
    memcpy(entry + 29, &where, 8);
}

void bpor_trust_calls_reserve(void)
{
    calls = bpor_reserve(RETURNED_SLOTS * sizeof *calls);
    calls_made = bpor_reserve(sizeof *calls_made);
    tables = bpor_reserve_kept(BYTES);
    memcpy(tables, common, sizeof common);
    for (unsigned i = 0; i < RETURNED_SLOTS; i++)
        write_entry(i);
    memset(tables + COMMON_BYTES + RETURNED_SLOTS * ENTRY_BYTES, 0, 8);
    memcpy(header.entries, &tables, sizeof header.entries);
}

static bool is_slot(uintptr_t address, unsigned *number)
{
    uintptr_t offset = address - (uintptr_t)bpor_returned_slots;
    *number = (unsigned)(offset / RETURNED_BYTES);
    return offset < RETURNED_SLOTS * RETURNED_BYTES;
}

uintptr_t bpor_trust_original(uintptr_t address)
{
    unsigned number;
    return calls && is_slot(address, &number) && calls[number].back ? calls[number].back : address;
}

bool bpor_trust_tables(uintptr_t address, struct found_tables *found)
{
    unsigned number;
    if (calls == NULL || !is_slot(address, &number))
        return false;
    *found = (struct found_tables){bpor_returned_slots, bpor_returned_slots + RETURNED_SLOTS * RETURNED_BYTES, &header};
    return true;
}

__attribute__((visibility("hidden"))) uintptr_t bpor_trust_returned(unsigned number)
{
    uintptr_t back = calls[number].back;
    calls[number].back = 0;
    bpor_trust_left(bpor_self);
    return back;
}

/* ---- where the call was made ---- */

struct look {
    bool inside;       /* frames of ours and of trampolines come first */
    bool outside;      /* the last one was trusted: this is where it returns to */
    uintptr_t *place;  /* of that return address, the outermost one so far */
    uintptr_t address; /* what stands there */
};

/* Code of language runtimes belongs to who calls it: what lies between two calls of trusted code, too. */
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *data)
{
    struct look *look = data;
    int exact = 0;
    unsigned number;
    uintptr_t address = _Unwind_GetIPInfo(context, &exact);
    if (address == 0)
        return _URC_END_OF_STACK;
    enum trust trust = is_slot(address, &number) ? TRUST_NONE : bpor_trust_of(address - !exact);
    if (look->inside && !look->outside && trust != TRUST_ATOMIC && trust != TRUST_INDEPENDENT) {
        look->place = (uintptr_t *)_Unwind_GetCFA(context) - 1;
        look->address = exact ? 0 : address;
        look->outside = true;
    }
    if (trust == TRUST_ATOMIC || trust == TRUST_INDEPENDENT) {
        look->inside = true;
        look->outside = false;
    }
    return look->outside && trust == TRUST_NONE ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Calls that this thread has left by another way lie below the one that it is in. */
static int free_slot(const struct thread *self, const uintptr_t *place)
{
    int found = -1;
    for (unsigned i = 0; i < RETURNED_SLOTS; i++) {
        if (calls[i].back && calls[i].thread == self->id && (calls[i].place <= place || *calls[i].place != entry_of(i)))
            calls[i].back = 0;
        if (calls[i].back == 0 && found < 0)
            found = (int)i;
    }
    return found;
}

/* The unwinder takes locks. */
static void walk(struct thread *self, _Unwind_Trace_Fn visit, void *data)
{
    bool was_shielded = self->shielded;
    self->shielded = true;
    bpor_unwind(visit, data);
    self->shielded = was_shielded;
}

uint64_t bpor_trust_call(struct thread *self)
{
    struct look look = {0};
    unsigned known;
    if (bpor_real(REAL__dl_find_object) == NULL || bpor_shadow_stack_active())
        return NO_CALL;
    walk(self, look_at_frame, &look);
    if (!look.outside || *look.place != look.address)
        return NO_CALL;
    if (is_slot(look.address, &known))
        return calls[known].back && calls[known].place == look.place ? calls[known].number : NO_CALL;
    int free = free_slot(self, look.place);
    if (free < 0)
        return NO_CALL;
    calls[free] = (struct call){look.address, look.place, ++*calls_made, self->id};
    *look.place = entry_of((unsigned)free);
    return *calls_made;
}

/* ---- whose call it is ---- */

struct caller {
    bool found; /* the first frame of a language runtime; ours come first */
    enum trust trust;
};

static _Unwind_Reason_Code look_at_caller(struct _Unwind_Context *context, void *data)
{
    struct caller *caller = data;
    int exact = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &exact);
    enum trust trust = address ? bpor_trust_of(address - !exact) : TRUST_NONE;
    if (address && (trust == TRUST_OF_CALLER || !caller->found)) {
        caller->found |= trust == TRUST_OF_CALLER;
        return _URC_NO_REASON;
    }
    caller->trust = trust;
    return _URC_END_OF_STACK;
}

enum trust bpor_trust_of_caller(struct thread *self)
{
    struct caller caller = {false, TRUST_NONE};
    walk(self, look_at_caller, &caller);
    return caller.trust;
}
