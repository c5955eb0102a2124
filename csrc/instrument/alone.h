/* What the callbacks do when the preload library is absent: nothing, or the atomic access itself. */
#ifndef BPOR_ALONE_H
#define BPOR_ALONE_H
#include "instrument/atomic_forms.h"
#include <string.h>

#define IGNORED(name, ...)                                                                                                       \
    static void alone_##name(__VA_ARGS__)                                                                                        \
    {                                                                                                                            \
    }
#define P(kind) IGNORED(__tsan_##kind, void *address __attribute__((unused)))
#define SIZES(kind) P(kind##1) P(kind##2) P(kind##4) P(kind##8) P(kind##16)
#define UNALIGNED(kind) P(unaligned_##kind##2) P(unaligned_##kind##4) P(unaligned_##kind##8) P(unaligned_##kind##16)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SIZES(read)
SIZES(write)
SIZES(read_write)
SIZES(volatile_read)
SIZES(volatile_write)
UNALIGNED(read)
UNALIGNED(write)
UNALIGNED(read_write)
UNALIGNED(volatile_read)
UNALIGNED(volatile_write)
IGNORED(__tsan_read_range, void *address, unsigned long bytes)
IGNORED(__tsan_write_range, void *address, unsigned long bytes)
IGNORED(__tsan_vptr_update, void **vptr, void *value)
IGNORED(__tsan_vptr_read, void **vptr)
IGNORED(__tsan_func_entry, void *caller)
IGNORED(__tsan_func_exit, void)
IGNORED(__tsan_init, void)
IGNORED(__tsan_acquire, void *address)
IGNORED(__tsan_release, void *address)
IGNORED(__tsan_mutex_create, void *address, unsigned flags)
IGNORED(__tsan_mutex_destroy, void *address, unsigned flags)
IGNORED(__tsan_mutex_pre_lock, void *address, unsigned flags)
IGNORED(__tsan_mutex_post_lock, void *address, unsigned flags, int recursion)
IGNORED(__tsan_mutex_post_unlock, void *address, unsigned flags)
IGNORED(__tsan_mutex_pre_signal, void *address, unsigned flags)
IGNORED(__tsan_mutex_post_signal, void *address, unsigned flags)
IGNORED(__tsan_mutex_pre_divert, void *address, unsigned flags)
IGNORED(__tsan_mutex_post_divert, void *address, unsigned flags)
IGNORED(__tsan_ignore_thread_begin, void)
IGNORED(__tsan_ignore_thread_end, void)
IGNORED(AnnotateHappensBefore, const char *file, int line, const volatile void *address)
IGNORED(AnnotateHappensAfter, const char *file, int line, const volatile void *address)
IGNORED(AnnotateBenignRaceSized, const char *file, int line, const volatile void *address, long bytes, const char *why)
IGNORED(AnnotateIgnoreReadsBegin, const char *file, int line)
IGNORED(AnnotateIgnoreReadsEnd, const char *file, int line)
IGNORED(AnnotateIgnoreWritesBegin, const char *file, int line)
IGNORED(AnnotateIgnoreWritesEnd, const char *file, int line)

static int alone___tsan_mutex_pre_unlock(void *address, unsigned flags)
{
    return 0;
}

static void alone___tsan_atomic_thread_fence(int order)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void alone___tsan_atomic_signal_fence(int order)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Linked with --wrap, `memcpy` here would be ourselves; __real_memcpy is libc's, and is there only then. */
#define STRING(result, name, parameters, arguments)                                                                              \
    extern result __real_##name parameters __attribute__((weak));                                                                \
    static result alone_bpor_##name parameters                                                                                   \
    {                                                                                                                            \
        return __real_##name ? __real_##name arguments : name arguments;                                                         \
    }
STRING(void *, memcpy, (void *to, const void *from, unsigned long bytes), (to, from, bytes))
STRING(void *, memmove, (void *to, const void *from, unsigned long bytes), (to, from, bytes))
STRING(void *, memset, (void *to, int value, unsigned long bytes), (to, value, bytes))
STRING(int, memcmp, (const void *one, const void *other, unsigned long bytes), (one, other, bytes))
STRING(unsigned long, strlen, (const char *text), (text))
STRING(char *, strcpy, (char *to, const char *from), (to, from))
STRING(char *, strncpy, (char *to, const char *from, unsigned long bytes), (to, from, bytes))
STRING(int, strcmp, (const char *one, const char *other), (one, other))
STRING(int, strncmp, (const char *one, const char *other, unsigned long bytes), (one, other, bytes))

static void *alone___tsan_memcpy(void *to, const void *from, unsigned long bytes)
{
    return alone_bpor_memcpy(to, from, bytes);
}

static void *alone___tsan_memmove(void *to, const void *from, unsigned long bytes)
{
    return alone_bpor_memmove(to, from, bytes);
}

static void *alone___tsan_memset(void *to, int value, unsigned long bytes)
{
    return alone_bpor_memset(to, value, bytes);
}

#define RMW(bits, form, number)                                                                                                  \
    static value##bits alone___tsan_atomic##bits##_##form(volatile value##bits *address, value##bits operand, int order)         \
    {                                                                                                                            \
        return change##bits(number, address, operand);                                                                           \
    }
#define CAS(bits, form)                                                                                                          \
    static int alone___tsan_atomic##bits##_compare_exchange_##form(volatile value##bits *address, value##bits *expected,         \
                                                                   value##bits desired, int order, int failure)                  \
    {                                                                                                                            \
        return cas##bits(address, expected, desired);                                                                            \
    }
#define ATOMIC(bits)                                                                                                             \
    static value##bits alone___tsan_atomic##bits##_load(const volatile value##bits *address, int order)                          \
    {                                                                                                                            \
        return load##bits(address);                                                                                              \
    }                                                                                                                            \
    static void alone___tsan_atomic##bits##_store(volatile value##bits *address, value##bits operand, int order)                 \
    {                                                                                                                            \
        change##bits(FORM_STORE, address, operand);                                                                              \
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
    static value##bits alone___tsan_atomic##bits##_compare_exchange_val(volatile value##bits *address, value##bits expected,     \
                                                                        value##bits desired, int order, int failure)             \
    {                                                                                                                            \
        cas##bits(address, &expected, desired);                                                                                  \
        return expected;                                                                                                         \
    }

ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
ATOMIC(128)
#pragma GCC diagnostic pop
#undef RMW
#undef CAS
#undef ATOMIC
#undef SIZES
#undef UNALIGNED
#undef P
#undef IGNORED
#undef STRING
#endif
