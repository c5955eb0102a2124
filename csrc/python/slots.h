/* The slots (GOT) through which instrumented modules call the interpreter, pointed at functions of ours. A static interpreter
 * cannot be interposed by preloading. */
#ifndef BPOR_SLOTS_H
#define BPOR_SLOTS_H

struct slot {
    const char *name;
    void *ours;
    void **theirs; /* where the interpreter's own function is put */
};

/* The interpreter's own functions; NULL: it lacks one. */
void bpor_slots_find(const struct slot *slots, unsigned count);
/* At the fork point. Functions that the interpreter lacks are passed over. */
void bpor_slots_redirect(const struct slot *slots, unsigned count);
#endif
