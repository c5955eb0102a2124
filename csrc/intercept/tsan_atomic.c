/* __tsan_atomic*: every atomic access is an operation (model/memory.c). The order arrives with hints of hardware lock elision in
 * its upper bits, which mean nothing here. A weak compare-exchange never fails by chance: its caller must retry anyway. */
#include "instrument/callbacks.h"
#include "runtime/memory.h"
#include "runtime/real.h"

enum { ORDER_MASK = 0x7fff };

static value128 access_memory(enum atomic_form form, const volatile void *address, uint32_t size, value128 operand, int order,
                              const void *site)
{
    struct memory_access access = {
        .address = (volatile void *)address, .size = size, .form = form, .order = order & ORDER_MASK, .operand = operand};
    return bpor_atomic(&access, site);
}

static bool compare_exchange(volatile void *address, uint32_t size, value128 *expected, value128 desired, int order, int failure,
                             const void *site)
{
    struct memory_access access = {.address = address,
                                   .size = size,
                                   .form = FORM_CAS,
                                   .order = order & ORDER_MASK,
                                   .failure_order = failure & ORDER_MASK,
                                   .operand = desired,
                                   .expected = *expected};
    *expected = bpor_atomic(&access, site);
    return !access.failed;
}

#define RMW(bits, name, form)                                                                                                    \
    INTERCEPT value##bits __tsan_atomic##bits##_##name(volatile value##bits *address, value##bits operand, int order)            \
    {                                                                                                                            \
        return (value##bits)access_memory(form, address, bits / 8, operand, order, CALL_SITE);                                   \
    }
#define CAS(bits, name)                                                                                                          \
    INTERCEPT int __tsan_atomic##bits##_compare_exchange_##name(volatile value##bits *address, value##bits *expected,            \
                                                                value##bits desired, int order, int failure)                     \
    {                                                                                                                            \
        value128 old = *expected;                                                                                                \
        bool done = compare_exchange(address, bits / 8, &old, desired, order, failure, CALL_SITE);                               \
        if (!done) {                                                                                                             \
            bpor_plain_access(expected, sizeof *expected, true, CALL_SITE);                                                      \
            *expected = (value##bits)old;                                                                                        \
        }                                                                                                                        \
        return done;                                                                                                             \
    }
#define ATOMIC(bits)                                                                                                             \
    INTERCEPT value##bits __tsan_atomic##bits##_load(const volatile value##bits *address, int order)                             \
    {                                                                                                                            \
        return (value##bits)access_memory(FORM_LOAD, address, bits / 8, 0, order, CALL_SITE);                                    \
    }                                                                                                                            \
    INTERCEPT void __tsan_atomic##bits##_store(volatile value##bits *address, value##bits operand, int order)                    \
    {                                                                                                                            \
        access_memory(FORM_STORE, address, bits / 8, operand, order, CALL_SITE);                                                 \
    }                                                                                                                            \
    RMW(bits, exchange, FORM_EXCHANGE)                                                                                           \
    RMW(bits, fetch_add, FORM_ADD)                                                                                               \
    RMW(bits, fetch_sub, FORM_SUB)                                                                                               \
    RMW(bits, fetch_and, FORM_AND)                                                                                               \
    RMW(bits, fetch_or, FORM_OR)                                                                                                 \
    RMW(bits, fetch_xor, FORM_XOR)                                                                                               \
    RMW(bits, fetch_nand, FORM_NAND)                                                                                             \
    CAS(bits, strong)                                                                                                            \
    CAS(bits, weak)                                                                                                              \
    INTERCEPT value##bits __tsan_atomic##bits##_compare_exchange_val(volatile value##bits *address, value##bits expected,        \
                                                                     value##bits desired, int order, int failure)                \
    {                                                                                                                            \
        value128 old = expected;                                                                                                 \
        compare_exchange(address, bits / 8, &old, desired, order, failure, CALL_SITE);                                           \
        return (value##bits)old;                                                                                                 \
    }

ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
ATOMIC(128)

INTERCEPT void __tsan_atomic_thread_fence(int order)
{
    bpor_fence(order & ORDER_MASK, CALL_SITE);
}

/* Orders a thread and its own signal handler: nothing to do for anybody else. */
INTERCEPT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
