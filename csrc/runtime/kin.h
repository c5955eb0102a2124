/* Kin: threads that one thread started alike, with the same function and the same argument (--symmetry).
 *
 * As long as two of them have done nothing but read the same values, renaming one into the other changes nothing of the state:
 * what the one does next the other would do as well. So of such threads only the first one that was created is let go on; the
 * others are held back until it has. That is a program with fewer schedules, and each schedule of the whole program is one of
 * them with threads renamed (docs/algorithm.md, section 8). Within a preemption bound only threads that have not made a step yet
 * are held back: the second one of them is then as if the first step of the first one created it.
 *
 * What tells kin apart from outside (a joiner that goes on before it has joined all of them, different results, a handle that is
 * used otherwise) is refused where it happens. */
#ifndef BPOR_KIN_H
#define BPOR_KIN_H
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stdint.h>

struct thread;
enum { KIN_READS = 8 };

struct kin {
    uint64_t group;    /* equal for threads that were started alike; 0: there is none */
    uint64_t seen;     /* hash of its steps, all of which only read, ... */
    uint64_t outdated; /* ... and of those whose place was written since: a sum, in whatever order that was done */
    uint32_t others;   /* what it did between creations of threads: steps, and ... */
    bool wrote;        /* ... plain writes, since the last one */
    uint16_t joiner;   /* who joined it */
    bool apart;        /* it made a step that does more than read */
    bool gathers;      /* it has joined some thread, and may not have joined all kin of that one */
    uint8_t reads;
    struct bpor_access read[KIN_READS];
};

/* The creator has made this thread, and told it where to start. */
void bpor_kin_created(struct thread *thread, struct thread *creator);
/* A step of `thread` was performed. */
void bpor_kin_step(struct thread *thread);
/* Takes those out of the enabled threads who are held back. */
void bpor_kin_hold_back(void);
/* The handle of `thread` is used for something else than a join. */
void bpor_kin_named(const struct thread *thread);
/* It ends, or accesses what others have accessed. */
void bpor_kin_goes_on(struct thread *thread);
/* The process ends in order. */
void bpor_kin_process_ends(void);
#endif
