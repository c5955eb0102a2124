#include "protocol/operations.h"

static const uint8_t properties[OP_COUNT] = {
#define OP(identifier, text, bits) [OP_##identifier] = (bits),
#include "protocol/ops.def"
#undef OP
};

unsigned bpor_properties(enum operation_kind kind)
{
    return properties[kind];
}
