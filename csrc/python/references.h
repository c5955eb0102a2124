/* References that a thread has without owning them: loaded from a place that others write, lent by a container, or its own once,
 * and since stored where others reach it or given up. Between that and the use of the object (its reference is taken, its memory
 * is accessed, it is given to the interpreter) its owner may drop it. So the use is an operation: it depends on whoever changes
 * the place, and on the free of the object. With the global lock a use is only looked at: whoever dropped the object did so where
 * the lock was released. */
#ifndef BPOR_REFERENCES_H
#define BPOR_REFERENCES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The running thread has loaded a word from there (an object of the model), as an operation. */
void bpor_reference_loaded(uintptr_t word, uint64_t source, uint32_t bytes);
/* It was lent an object. */
void bpor_reference_lent(uintptr_t object, uint64_t source, uint32_t bytes);
/* Do places that hold pointers to objects become operations when several threads use them and one of them writes? */
bool bpor_references_make_places(void);
/* Is there such a pointer, to an object that can go away? */
bool bpor_reference_lies_at(uintptr_t address);
/* It was given a reference of its own to what others reach there. */
void bpor_reference_returned(uintptr_t object, uint64_t source, uint32_t bytes);
/* It has put it where others reach it: with its reference, or with one more. */
void bpor_reference_moved(uintptr_t object, uint64_t source, uint32_t bytes);
void bpor_reference_shared(uintptr_t object, uint64_t source, uint32_t bytes);
/* It is about to store, as an operation, what may be one or more of them. */
void bpor_reference_stored(uintptr_t address, size_t bytes, uint64_t source);
/* It is about to have the interpreter count one more, or one less. */
void bpor_reference_counts(uintptr_t object, const void *site);
/* Has it stored or counted what is not known yet? Asked before every step, because others may change it then. */
extern bool bpor_reference_is_open;
void bpor_reference_close(bool at_step);
static inline void bpor_reference_settle(void)
{
    if (__builtin_expect(bpor_reference_is_open, 0))
        bpor_reference_close(false);
}
static inline void bpor_reference_settle_at_step(void)
{
    if (__builtin_expect(bpor_reference_is_open, 0))
        bpor_reference_close(true);
}
/* It has, from so many. */
void bpor_reference_counted(uintptr_t object, uint32_t before, const void *site);
/* It reads the count of an object, which others change: to count, or to see whether it is alone. As an operation, or not yet. */
void bpor_reference_count_step(uintptr_t object, const void *site);
void bpor_reference_looked(uintptr_t object, bool is_step, const void *site);
/* Does this access go on with that? */
bool bpor_reference_look_goes_on(uintptr_t address, bool write);
/* It is about to access memory. */
void bpor_reference_access(uintptr_t address, size_t bytes, bool write, const void *site);
/* It is about to give this to the interpreter. */
void bpor_reference_given(uintptr_t object, const void *site);
/* The running thread has called an extension anew: what an earlier call was lent is over. */
void bpor_references_forget(void);
/* The arguments of a call that are objects, a bit for each, must still be there after the step that it makes in between. */
void bpor_references_hold(const uintptr_t *argument, unsigned given);
void bpor_references_let_go(const uintptr_t *argument, unsigned given);
/* It does: a freed one is an error. */
void bpor_reference_check(uintptr_t object);
/* Its last reference is gone. `goes_on`: its type's own deallocator begins, until bpor_reference_ended. */
void bpor_reference_ends(uintptr_t object, bool goes_on, const void *site);
void bpor_reference_ended(uintptr_t object);
/* This memory goes, and all objects in it. */
void bpor_references_disown(uintptr_t start, size_t bytes);
/* Has any thread one into this memory? */
bool bpor_references_within(uintptr_t start, size_t bytes);
/* Does the running thread have any? */
bool bpor_references_any(void);
/* Where the running thread last called the interpreter, for what the interpreter frees. */
void bpor_references_called(const void *site);
const void *bpor_references_site(const void *site);
#endif
