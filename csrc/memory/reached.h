/* Which freed blocks may still be used: those that a live word points into. */
#ifndef BPOR_REACHED_H
#define BPOR_REACHED_H
#include <stdbool.h>
#include <stdint.h>

struct candidate {
    uintptr_t start;
    uintptr_t end;
    uint32_t record; /* the caller's */
    bool reached;
};

void bpor_reached_reserve(void);
/* Notes which of the blocks are reached; sorts them by address. False: nobody can tell. Called where a thread runs. */
bool bpor_reached(struct candidate *blocks, unsigned count);
#endif
