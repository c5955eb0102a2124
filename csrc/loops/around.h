/* Where a thread of the program stands, seen from a call of ours that it is in. */
#ifndef BPOR_AROUND_H
#define BPOR_AROUND_H
#include "runtime/runtime.h"

struct around {
    uint64_t site; /* that was looked for: a return address in the program's code */
    bool found;
    uintptr_t stack;    /* of the frame that it is in, where the call returns to */
    uint64_t registers; /* that the call keeps */
    uint64_t calls;     /* that it is made in */
    unsigned frames;
};

enum around_how { AROUND_ALL_CALLS, AROUND_ONE_FRAME /* `calls` is not told */ };

struct around bpor_look_around(struct thread *thread, uint64_t site, enum around_how how);
#endif
