/* What the callbacks do when the preload library is absent: nothing, the atomic access itself, or what libc does. */
#ifndef BPOR_ALONE_H
#define BPOR_ALONE_H
#include "instrument/atomic_forms.h"
#include "instrument/fortified.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The atomic instructions of the stub lie apart, where bpor_mark.c says: the census takes any other for the program's own. */
#define OURS __attribute__((section("bpor_text")))

#define CALLBACK(result, name, parameters, arguments)
#define QUIET(name, parameters, arguments)                                                                                       \
    static void alone_##name parameters                                                                                          \
    {                                                                                                                            \
    }
#define ATOMIC(result, name, parameters, arguments, action)                                                                      \
    OURS static result alone_##name parameters                                                                                   \
    {                                                                                                                            \
        return action;                                                                                                           \
    }
#define LOAD(bits) load##bits(address)
#define CHANGE(bits, form) change##bits(form, address, operand)
#define CAS_strong(bits) cas##bits(address, expected, desired)
#define CAS_weak(bits) CAS_strong(bits)
#define CAS_VALUE(bits) (cas##bits(address, &expected, desired), expected)
/* Linked with --wrap, `memcpy` here would be ourselves; __real_memcpy is libc's, and is there only then. */
#define WRAPPED(result, name, parameters, arguments)                                                                             \
    extern result __real_##name parameters __attribute__((weak));                                                                \
    static result alone_bpor_##name parameters                                                                                   \
    {                                                                                                                            \
        return __real_##name ? __real_##name arguments : name arguments;                                                         \
    }
#include "instrument/callbacks.def"
#undef CALLBACK
#undef QUIET
#undef ATOMIC
#undef LOAD
#undef CHANGE
#undef CAS_strong
#undef CAS_weak
#undef CAS_VALUE
#undef WRAPPED

static int alone___tsan_mutex_pre_unlock(void *address, unsigned flags)
{
    return 0;
}

OURS static void alone___tsan_atomic_thread_fence(int order)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void alone___tsan_atomic_signal_fence(int order)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

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
#pragma GCC diagnostic pop
#endif
