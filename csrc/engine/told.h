/* A step as whoever runs the program tells it. */
#ifndef BPOR_TOLD_H
#define BPOR_TOLD_H
#include "protocol/operations.h"
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stdint.h>

/* Its arrays lie with whoever tells it. */
struct told_step {
    uint8_t thread;
    uint8_t flags;
    bool ends_process;
    uint64_t enabled;
    uint64_t timed;
    uint64_t hash;
    uint8_t alternatives; /* that it had; 0 counts as 1 */
    uint8_t alternative;  /* that it took */
    uint32_t source;      /* index + 1 of the step that stored what an old read saw */
    const struct bpor_access *access;
    unsigned accesses;
    unsigned announced;
    uint64_t finished; /* mask of the threads that ended during it */
    struct told_operation {
        uint8_t thread;
        uint8_t kind;
        uint8_t order;
        bool timed;
        uint16_t target;
        uint64_t site;
        uint64_t stack; /* hash of the return addresses; 0: nobody asks for them */
        const struct bpor_access *access;
        unsigned accesses;
    } operation[BPOR_TREE_THREADS + 1];
};

/* The hash of an execution up to a step, as the runtime computes it while it runs. */
static inline uint64_t step_hash(uint64_t before, const struct told_step *step, unsigned kind)
{
    uint64_t hash = bpor_mix(before, (uint64_t)step->thread << 8 | kind);
    for (unsigned i = 0; i < step->accesses; i++)
        hash = bpor_mix(hash, step->access[i].object * 4 + (step->access[i].write != 0));
    hash = bpor_mix(hash, step->enabled);
    if (step->alternative)
        hash = bpor_mix(hash, step->alternative);
    return hash;
}
#endif
