#include "python/lock_methods.h"
#include "python/layout.h"
#include "python/locks.h"
#include <string.h>

static uint8_t *byte_of(uintptr_t lock)
{
    return (uint8_t *)(lock + bpor_layout_header());
}

bool bpor_lock_methods_are_unseen(uintptr_t held)
{
    return *byte_of(held) & 1; /* else it is the address of a semaphore */
}

enum lock_method bpor_lock_method(const char *name)
{
    static const struct {
        const char *name;
        enum lock_method method;
    } methods[] = {
        {"acquire", LOCK_METHOD_ACQUIRE},          {"acquire_lock", LOCK_METHOD_ACQUIRE},  {"__enter__", LOCK_METHOD_ACQUIRE},
        {"_acquire_restore", LOCK_METHOD_ACQUIRE}, {"release", LOCK_METHOD_RELEASE},       {"release_lock", LOCK_METHOD_RELEASE},
        {"__exit__", LOCK_METHOD_RELEASE},         {"_release_save", LOCK_METHOD_RELEASE}, {"locked", LOCK_METHOD_LOOK},
        {"locked_lock", LOCK_METHOD_LOOK},
    };
    for (unsigned i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(methods[i].name, name) == 0)
            return methods[i].method;
    return LOCK_METHOD_NONE;
}

void bpor_lock_method_step(enum lock_method method, uintptr_t lock, const void *site)
{
    struct lock_call call = {.wanted = 1, .count = 1, .byte = {byte_of(lock)}};
    if (method == LOCK_METHOD_ACQUIRE) {
        bpor_lock_step(OP_PYMUTEX_TRYLOCK, &call, site);
    } else if (method == LOCK_METHOD_RELEASE) {
        bpor_lock_step(OP_PYMUTEX_UNLOCK, &call, site);
    } else {
        struct operation *op = bpor_operation(OP_CONTAINER_READ, site);
        bpor_touch_object(op, bpor_python_lock(call.byte[0]), false);
        bpor_step();
    }
}
