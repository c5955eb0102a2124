/* The interpreter is not instrumented, so what an extension keeps in its containers would be invisible, and a search that leaves
 * out what it cannot see proves nothing. So instrumented modules call functions of ours instead, which tell of the access and
 * pass the call on. */
#include "python/containers.h"
#include "python/gil.h"
#include "python/slots.h"
#include "runtime/objects.h"

enum { DICT = BPOR_CONTAINER_DICT, LIST = BPOR_CONTAINER_LIST, SET = BPOR_CONTAINER_SET, OBJECT = BPOR_CONTAINER_OBJECT };
enum { READ = OP_CONTAINER_READ, WRITE = OP_CONTAINER_WRITE };

typedef uintptr_t call(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

enum function {
#define CONTAINER(name, kind, access) FUNCTION_##name,
#include "python/containers.def"
#undef CONTAINER
    FUNCTIONS
};
static call *interpreters[FUNCTIONS];

/* With the lock modelled, the order in which it is taken covers what is done under it. */
static void visit(unsigned kind, enum operation_kind access, uintptr_t container, const void *site)
{
    uint64_t allocation_site = 0;
    if (!bpor_controlled() || bpor->unexplored || container == 0)
        return;
    bpor->shared->containers |= kind;
    if (!bpor_gil_is_off() || bpor->threads == 1)
        return;
    uint64_t object = bpor_canonical(container, BPOR_CLASS_CONTAINER, &allocation_site);
    bpor_emit_place(object, container, allocation_site);
    bpor_touch(bpor_operation(access, site), object, 1, access == OP_CONTAINER_WRITE);
    bpor_step();
}

/* Six words in registers are the arguments of any of them. */
#define CONTAINER(name, kind, access)                                                                                            \
    static uintptr_t our_##name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)                    \
    {                                                                                                                            \
        visit(kind, (enum operation_kind)access, a, __builtin_return_address(0));                                                \
        return interpreters[FUNCTION_##name](a, b, c, d, e, f);                                                                  \
    }
#include "python/containers.def"
#undef CONTAINER

static const struct slot slots[FUNCTIONS] = {
#define CONTAINER(name, kind, access) {#name, (void *)our_##name, (void **)&interpreters[FUNCTION_##name]},
#include "python/containers.def"
#undef CONTAINER
};

void bpor_containers_watch(void)
{
    if (bpor->shared->config.gil != BPOR_GIL_NONE)
        bpor_slots_redirect(slots, FUNCTIONS);
}
