/* Dependence, decided once: two accesses conflict iff their ranges overlap and one of them writes. */
#include "runtime/runtime.h"

static bool overlap(const struct bpor_access *a, const struct bpor_access *b)
{
    return (a->write || b->write) && a->object < b->object + b->size && b->object < a->object + a->size;
}

bool bpor_conflict(const struct bpor_access *a, unsigned a_count, const struct bpor_access *b, unsigned b_count)
{
    for (unsigned i = 0; i < a_count; i++)
        for (unsigned j = 0; j < b_count; j++)
            if (overlap(&a[i], &b[j]))
                return true;
    return false;
}
