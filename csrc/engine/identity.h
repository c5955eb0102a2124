/* Which state this is: equal identities go on alike. All zero: nobody knows. */
#ifndef BPOR_ENGINE_IDENTITY_H
#define BPOR_ENGINE_IDENTITY_H
#include "protocol/operations.h"
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stdint.h>

struct identity {
    uint64_t low;
    uint64_t high;
};

static inline bool identity_is_known(struct identity identity)
{
    return identity.low | identity.high;
}

static inline bool identity_equals(struct identity one, struct identity other)
{
    return one.low == other.low && one.high == other.high;
}

static inline struct identity identity_with(struct identity identity, uint64_t word)
{
    return (struct identity){bpor_mix(identity.low, word), bpor_mix(identity.high, ~word)};
}
#endif
