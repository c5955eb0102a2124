/* __tsan_atomic*: every atomic access is an operation (model/memory.c). The order arrives with hints of hardware lock elision in
 * its upper bits, which mean nothing here. A weak compare-exchange never fails by chance: its caller must retry anyway. */
#include "instrument/callbacks.h"
#include "runtime/memory.h"
#include "runtime/real.h"
#include <string.h>

enum { ORDER_MASK = 0x7fff };

static value128 access_memory(enum atomic_form form, const volatile void *address, uint32_t size, value128 operand, int order,
                              const void *site)
{
    struct memory_access access = {
        .address = (volatile void *)address, .size = size, .form = form, .order = order & ORDER_MASK, .operand = operand};
    return bpor_atomic(&access, site);
}

/* The expected value is the caller's own memory, which a failure overwrites. */
static bool compare_exchange(volatile void *address, uint32_t size, void *expected, value128 desired, int order, int failure,
                             const void *site)
{
    struct memory_access access = {.address = address,
                                   .size = size,
                                   .form = FORM_CAS,
                                   .order = order & ORDER_MASK,
                                   .failure_order = failure & ORDER_MASK,
                                   .operand = desired};
    memcpy(&access.expected, expected, size);
    bpor_atomic(&access, site);
    if (access.failed) {
        bpor_plain_access(expected, size, true, site);
        memcpy(expected, &access.old, size);
    }
    return !access.failed;
}

#define CALLBACK(result, name, parameters, arguments)
#define QUIET(name, parameters, arguments)
#define ATOMIC(result, name, parameters, arguments, action)                                                                      \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        return action;                                                                                                           \
    }
#define LOAD(bits) (value##bits) access_memory(FORM_LOAD, address, bits / 8, 0, order, CALL_SITE)
#define CHANGE(bits, form) (value##bits) access_memory(form, address, bits / 8, operand, order, CALL_SITE)
#define CAS(bits) compare_exchange(address, bits / 8, expected, desired, order, failure, CALL_SITE)
#define CAS_VALUE(bits) (compare_exchange(address, bits / 8, &expected, desired, order, failure, CALL_SITE), expected)
#include "instrument/callbacks.def"
#undef CALLBACK
#undef QUIET
#undef ATOMIC

INTERCEPT void __tsan_atomic_thread_fence(int order)
{
    bpor_fence(order & ORDER_MASK, CALL_SITE);
}

/* Orders a thread and its own signal handler: nothing to do for anybody else. */
INTERCEPT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
