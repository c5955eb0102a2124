/* The slots (GOT) through which instrumented modules call the interpreter, pointed at functions of ours. A static interpreter
 * cannot be interposed by preloading. */
#ifndef BPOR_SLOTS_H
#define BPOR_SLOTS_H
#include <stdbool.h>

struct slot {
    const char *name;
    void *ours;
    void **theirs; /* where the interpreter's own function is put */
};

/* One of them, or any other pointer to a function, in memory that may be protected. */
void bpor_slot_put(void **slot, void *function);
/* Notes where instrumented modules lie; then: is this in the code of one? */
void bpor_slots_look(void);
bool bpor_slots_are_told(const void *address);
/* The interpreter's own functions; NULL: it lacks one. */
void bpor_slots_find(const struct slot *slots, unsigned count);
/* At the fork point. Functions that the interpreter lacks are passed over. */
void bpor_slots_redirect(const struct slot *slots, unsigned count);
/* An instrumented module has shown itself: in the midst of an execution that is too late, and ends it. */
void bpor_slots_loaded(const void *address);
#endif
