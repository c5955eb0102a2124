/* Atomic accesses as the hardware does them, for every width: what the stub does alone, and what the library does when the
 * access is chosen. Always sequentially consistent, which every weaker order allows.
 *
 * Sixteen bytes go through cmpxchg16b, which every x86-64 processor that runs a current glibc has; a load by it writes back what
 * it read, so it faults on read-only memory exactly as libatomic's does. */
#ifndef BPOR_ATOMIC_FORMS_H
#define BPOR_ATOMIC_FORMS_H
#include "instrument/callbacks.h"
#include <stdbool.h>

/* Always: their atomic instructions are to lie in the function that uses them. */
#define INLINED static inline __attribute__((always_inline))

enum atomic_form { FORM_LOAD, FORM_STORE, FORM_EXCHANGE, FORM_ADD, FORM_SUB, FORM_AND, FORM_OR, FORM_XOR, FORM_NAND, FORM_CAS };

#define NATIVE_WIDTH(bits)                                                                                                       \
    INLINED bool cas##bits(volatile value##bits *address, value##bits *expected, value##bits desired)                            \
    {                                                                                                                            \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
    }                                                                                                                            \
    INLINED value##bits load##bits(const volatile value##bits *address)                                                          \
    {                                                                                                                            \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                                       \
    }

NATIVE_WIDTH(8)
NATIVE_WIDTH(16)
NATIVE_WIDTH(32)
NATIVE_WIDTH(64)
#undef NATIVE_WIDTH

INLINED bool cas128(volatile value128 *address, value128 *expected, value128 desired)
{
    uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
    bool equal;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(equal), "+m"(*address), "+a"(low), "+d"(high)
                     : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
                     : "memory");
    *expected = (value128)high << 64 | low;
    return equal;
}

INLINED value128 load128(const volatile value128 *address)
{
    value128 value = 0;
    cas128((volatile value128 *)address, &value, 0);
    return value;
}

INLINED value128 combine(enum atomic_form form, value128 old, value128 operand)
{
    switch (form) {
    case FORM_ADD:
        return old + operand;
    case FORM_SUB:
        return old - operand;
    case FORM_AND:
        return old & operand;
    case FORM_OR:
        return old | operand;
    case FORM_XOR:
        return old ^ operand;
    case FORM_NAND:
        return ~(old & operand);
    default:
        return operand; /* store and exchange */
    }
}

/* Any form but load and compare-exchange; returns what was there before. */
#define READ_MODIFY_WRITE(bits)                                                                                                  \
    INLINED value##bits change##bits(enum atomic_form form, volatile value##bits *address, value##bits operand)                  \
    {                                                                                                                            \
        value##bits old = load##bits(address);                                                                                   \
        while (!cas##bits(address, &old, (value##bits)combine(form, old, operand)))                                              \
            continue;                                                                                                            \
        return old;                                                                                                              \
    }

READ_MODIFY_WRITE(8)
READ_MODIFY_WRITE(16)
READ_MODIFY_WRITE(32)
READ_MODIFY_WRITE(64)
READ_MODIFY_WRITE(128)
#undef READ_MODIFY_WRITE
#endif
