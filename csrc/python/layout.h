/* How the interpreter lays out the few objects that we look into, and which of them can change. */
#ifndef BPOR_LAYOUT_H
#define BPOR_LAYOUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct list_body { /* of a PyListObject, behind its header */
    intptr_t size;
    void **items;
};

/* Bytes that every object begins with: its reference count and its type. */
size_t bpor_layout_header(void);
/* Is there an object at this address? Anything may stand there. */
bool bpor_layout_is_object(uintptr_t address);
/* One that can go away: not the interpreter's own, and not immortal. */
bool bpor_layout_is_mortal(uintptr_t address);
/* One whose state can change: none of the built-in types of values. */
bool bpor_layout_is_mutable(uintptr_t address);
/* One whose memory the interpreter may keep when it ends, for a new one of the same type. */
bool bpor_layout_is_kept(uintptr_t object);
/* Is this one of the first items of a tuple? */
bool bpor_layout_is_in_tuple(uintptr_t place);
/* Is this in a list, byte array, dict or set: its size, or where its items are? */
bool bpor_layout_is_in_body(uintptr_t place);
/* Is this in a number, a tuple or the like, which does not change as long as it is there? */
bool bpor_layout_is_constant(uintptr_t place);
/* Is this where a list has its size? Where its items are stands behind it. */
bool bpor_layout_is_list_size(uintptr_t place);
/* Is this where a weak reference has its object? */
bool bpor_layout_is_referent(uintptr_t place);
/* Bytes of the object itself. */
size_t bpor_layout_size(uintptr_t object);
/* Its references. */
uint32_t bpor_layout_count(uintptr_t object);
/* No reference is left. The interpreter keeps the memory of some, for new ones of the same type. */
bool bpor_layout_is_dead(uintptr_t object);
/* Is this in its reference count? */
bool bpor_layout_counts(uintptr_t object, uintptr_t address);
/* The object of a bound method; anything else itself. */
uintptr_t bpor_layout_bound_to(uintptr_t callable);
/* One of an array of arguments, or 0; `count` as a vector call has it. */
uintptr_t bpor_layout_argument(uintptr_t arguments, uintptr_t count, unsigned number);
#endif
