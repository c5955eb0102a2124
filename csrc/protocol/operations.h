/* The kinds of operations, what each kind may do, and one hash for names and prefixes: all that the engine and the runtime
 * beside the program know in common, beyond protocol.h. */
#ifndef BPOR_OPERATIONS_H
#define BPOR_OPERATIONS_H
#include <stdint.h>

enum operation_property { NOTHING = 0, ACQUIRE = 1, RELEASE = 2, BLOCKS = 4, YIELDS = 8, ENDS = 16 };
enum operation_kind {
#define OP(identifier, text, properties) OP_##identifier,
#include "protocol/ops.def"
#undef OP
    OP_COUNT
};

/* A mask of operation_property. */
unsigned bpor_properties(enum operation_kind kind);

static inline uint64_t bpor_mix(uint64_t hash, uint64_t value)
{
    hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ (hash >> 32);
}

/* Every bit of the number decides about every bit of the result: for draws, where bpor_mix is too regular (splitmix64). */
static inline uint64_t bpor_scatter(uint64_t number)
{
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}
#endif
