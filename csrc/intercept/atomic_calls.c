/* __atomic_*: the calls that gcc makes for -fno-inline-atomics, and for sizes without an instruction (libatomic). The same
 * operations as the instrumented ones, also where the size is an argument (clang, for 16 bytes). Objects of other sizes, which
 * libatomic locks, are copied as a whole: an operation on all their bytes. */
#include "instrument/callbacks.h"
#include "memory/memory.h"
#include "runtime/real.h"
#include <string.h>

/* The compiler has ideas of its own about functions of these names: ours get them from the assembler. */
#define NAMED(name) __asm__(#name)

#define FETCH(bytes, bits, name, form)                                                                                           \
    INTERCEPT value##bits fetch_##name##_##bytes(volatile void *, value##bits, int) NAMED(__atomic_fetch_##name##_##bytes);      \
    value##bits fetch_##name##_##bytes(volatile void *address, value##bits operand, int order)                                   \
    {                                                                                                                            \
        return (value##bits)bpor_access(form, address, bytes, operand, order, CALL_SITE);                                        \
    }                                                                                                                            \
    INTERCEPT value##bits name##_fetch_##bytes(volatile void *, value##bits, int) NAMED(__atomic_##name##_fetch_##bytes);        \
    value##bits name##_fetch_##bytes(volatile void *address, value##bits operand, int order)                                     \
    {                                                                                                                            \
        return (value##bits)combine(form, bpor_access(form, address, bytes, operand, order, CALL_SITE), operand);                \
    }
#define WIDTH(bytes, bits)                                                                                                       \
    INTERCEPT value##bits load_##bytes(volatile void *, int) NAMED(__atomic_load_##bytes);                                       \
    value##bits load_##bytes(volatile void *address, int order)                                                                  \
    {                                                                                                                            \
        return (value##bits)bpor_access(FORM_LOAD, address, bytes, 0, order, CALL_SITE);                                         \
    }                                                                                                                            \
    INTERCEPT void store_##bytes(volatile void *, value##bits, int) NAMED(__atomic_store_##bytes);                               \
    void store_##bytes(volatile void *address, value##bits operand, int order)                                                   \
    {                                                                                                                            \
        bpor_access(FORM_STORE, address, bytes, operand, order, CALL_SITE);                                                      \
    }                                                                                                                            \
    INTERCEPT value##bits exchange_##bytes(volatile void *, value##bits, int) NAMED(__atomic_exchange_##bytes);                  \
    value##bits exchange_##bytes(volatile void *address, value##bits operand, int order)                                         \
    {                                                                                                                            \
        return (value##bits)bpor_access(FORM_EXCHANGE, address, bytes, operand, order, CALL_SITE);                               \
    }                                                                                                                            \
    INTERCEPT bool compare_exchange_##bytes(volatile void *, value##bits *, value##bits, int, int)                               \
        NAMED(__atomic_compare_exchange_##bytes);                                                                                \
    bool compare_exchange_##bytes(volatile void *address, value##bits *expected, value##bits desired, int order, int failure)    \
    {                                                                                                                            \
        return bpor_compare_exchange(address, bytes, expected, desired, order, failure, CALL_SITE);                              \
    }                                                                                                                            \
    EACH_FETCH(FETCH, bytes, bits)

WIDTH(1, 8)
WIDTH(2, 16)
WIDTH(4, 32)
WIDTH(8, 64)
WIDTH(16, 128)

static bool has_width(size_t bytes, volatile void *address)
{
    return bytes > 0 && bytes <= sizeof(value128) && (bytes & (bytes - 1)) == 0 && (uintptr_t)address % bytes == 0;
}

static value128 value_of(const void *from, size_t bytes)
{
    value128 value = 0;
    memcpy(&value, from, bytes);
    return value;
}

/* Of any size. Before threads are controlled a lock of our own keeps them whole; once they are, one thread runs at a time. */
static char whole;

static void begin(enum operation_kind kind, volatile void *address, size_t bytes, bool write, const void *site)
{
    if (bpor_controlled())
        bpor_object_access(kind, (uintptr_t)address, (uint32_t)bytes, write, site);
    else
        while (__atomic_test_and_set(&whole, __ATOMIC_ACQUIRE))
            continue;
}

static void end(void)
{
    if (!bpor_controlled())
        __atomic_clear(&whole, __ATOMIC_RELEASE);
}

INTERCEPT void load_any(size_t, volatile void *, void *, int) NAMED(__atomic_load);
void load_any(size_t bytes, volatile void *address, void *result, int order)
{
    if (has_width(bytes, address)) {
        value128 value = bpor_access(FORM_LOAD, address, (uint32_t)bytes, 0, order, CALL_SITE);
        memcpy(result, &value, bytes);
        return;
    }
    begin(OP_READ, address, bytes, false, CALL_SITE);
    memcpy(result, (void *)address, bytes);
    end();
}

INTERCEPT void store_any(size_t, volatile void *, void *, int) NAMED(__atomic_store);
void store_any(size_t bytes, volatile void *address, void *value, int order)
{
    if (has_width(bytes, address)) {
        bpor_access(FORM_STORE, address, (uint32_t)bytes, value_of(value, bytes), order, CALL_SITE);
        return;
    }
    begin(OP_WRITE, address, bytes, true, CALL_SITE);
    memcpy((void *)address, value, bytes);
    end();
}

INTERCEPT void exchange_any(size_t, volatile void *, void *, void *, int) NAMED(__atomic_exchange);
void exchange_any(size_t bytes, volatile void *address, void *value, void *result, int order)
{
    if (has_width(bytes, address)) {
        value128 old = bpor_access(FORM_EXCHANGE, address, (uint32_t)bytes, value_of(value, bytes), order, CALL_SITE);
        memcpy(result, &old, bytes);
        return;
    }
    begin(OP_RMW, address, bytes, true, CALL_SITE);
    memcpy(result, (void *)address, bytes);
    memcpy((void *)address, value, bytes);
    end();
}

INTERCEPT bool compare_exchange_any(size_t, volatile void *, void *, void *, int, int) NAMED(__atomic_compare_exchange);
bool compare_exchange_any(size_t bytes, volatile void *address, void *expected, void *desired, int order, int failure)
{
    if (has_width(bytes, address))
        return bpor_compare_exchange(address, (uint32_t)bytes, expected, value_of(desired, bytes), order, failure, CALL_SITE);
    begin(OP_CAS, address, bytes, true, CALL_SITE);
    bool equal = memcmp((void *)address, expected, bytes) == 0;
    if (equal)
        memcpy((void *)address, desired, bytes);
    else
        memcpy(expected, (void *)address, bytes);
    end();
    return equal;
}
