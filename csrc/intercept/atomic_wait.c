/* std::atomic's wait and notify, and latch, barrier and semaphore on top of them, as libstdc++ implements them from version 16
 * on: in the shared library, and no longer in headers that an instrumented program compiles. Inside the library the loads that
 * end a wait would not be seen, so what the program wrote before a notification would look like a race.
 *
 * The whole implementation is therefore ours, since libstdc++ may be loaded later, where we cannot interpose (intercept/guard.c).
 * It does not spin: a wait is a futex wait, after which the program itself loads the value with its own memory order. An object
 * that cannot be a futex has a version instead, which every notification changes. A version orders nothing for the race detector,
 * as in the standard. */
#include "instrument/callbacks.h"
#include "intercept/syscall.h"
#include "memory/memory.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include "weak/weak.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <time.h>

/* The layouts that libstdc++ promises while the version, the high byte of the flags, is 0. */
struct wait_arguments {
    uint32_t flags;
    int order; /* of the load that a wait may do */
    uint64_t old;
    void *state; /* the library's own */
    const void *object;
    unsigned char size; /* of the object; 0: not of a scalar */
};

struct wait_result {
    uint64_t value;
    unsigned char has_value : 1, timeout : 1, unused : 6;
};

enum { SPIN_ONLY = 8, VERSION_SHIFT = 24, VERSIONS = 1024 };

static uint32_t version[VERSIONS];

#define NAMED(name) __asm__(#name)
INTERCEPT bool setup_proxy_wait(struct wait_arguments *, const void *)
    NAMED(_ZNSt8__detail11__wait_args19_M_setup_proxy_waitEPKv);
INTERCEPT struct wait_result wait_impl(const void *, struct wait_arguments *)
    NAMED(_ZNSt8__detail11__wait_implEPKvRNS_16__wait_args_baseE);
INTERCEPT struct wait_result wait_until_impl(const void *, struct wait_arguments *, const int64_t *)
    NAMED(_ZNSt8__detail17__wait_until_implEPKvRNS_16__wait_args_baseERKNSt6chrono8durationIlSt5ratioILl1ELl1000000000EEEE);
INTERCEPT void notify_impl(const void *, bool, const struct wait_arguments *)
    NAMED(_ZNSt8__detail13__notify_implEPKvbRKNS_16__wait_args_baseE);

static void understood(const struct wait_arguments *arguments)
{
    if (arguments->flags >> VERSION_SHIFT == 0)
        return;
    if (bpor_controlled())
        bpor_refuse("std::atomic::wait", "it is that of a newer libstdc++ than is known here");
    abort();
}

static bool is_futex(const struct wait_arguments *arguments)
{
    return arguments->size == sizeof(uint32_t);
}

static uint32_t *version_of(const void *object)
{
    return &version[((uintptr_t)object >> 2) % VERSIONS];
}

/* The kernel's answer, or the model's: negative errno on failure. */
static long futex(const void *word, int operation, uint32_t value, const struct timespec *deadline, const void *site)
{
    const long argument[6] = {(long)word, operation, value, (long)deadline, 0, FUTEX_BITSET_MATCH_ANY};
    if (!bpor_controlled())
        return sys_call6(SYS_futex, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
    return bpor_futex(argument, site) == -1 ? -errno : 0;
}

/* Without a version the program waits for the object itself. The version in use is found again when a wait begins anew. */
bool setup_proxy_wait(struct wait_arguments *arguments, const void *object)
{
    understood(arguments);
    if (object && is_futex(arguments))
        return false;
    if (object) {
        arguments->state = (void *)object;
        arguments->object = version_of(object);
        arguments->size = sizeof *version;
    }
    arguments->old = (uint64_t)bpor_access(FORM_LOAD, arguments->object, sizeof *version, 0, __ATOMIC_RELAXED, CALL_SITE);
    /* Who notifies ends the waits that saw something older than what it had stored, whatever the orders: so those who wait for a
     * new version have not. */
    if (bpor_controlled())
        bpor_weak_catch_up(bpor_self, arguments->state, 1);
    return true;
}

static struct wait_result look(const struct wait_arguments *arguments, const void *site)
{
    value32 value = (value32)bpor_access(FORM_LOAD, arguments->object, sizeof value, 0, arguments->order, site);
    return (struct wait_result){.value = value, .has_value = true, .timeout = value == (value32)arguments->old};
}

static struct wait_result wait(const struct wait_arguments *arguments, const struct timespec *deadline, const void *site)
{
    understood(arguments);
    if (arguments->flags & SPIN_ONLY)
        return look(arguments, site);
    long answer = futex(arguments->object, FUTEX_WAIT_BITSET_PRIVATE, (uint32_t)arguments->old, deadline, site);
    return (struct wait_result){.value = arguments->old, .timeout = answer == -ETIMEDOUT};
}

struct wait_result wait_impl(const void *object, struct wait_arguments *arguments)
{
    (void)object;
    return wait(arguments, NULL, CALL_SITE);
}

/* Until a time of the steady clock. */
struct wait_result wait_until_impl(const void *object, struct wait_arguments *arguments, const int64_t *nanoseconds)
{
    (void)object;
    int64_t until = *nanoseconds > 0 ? *nanoseconds : 0;
    struct timespec deadline = {.tv_sec = until / NANOSECONDS, .tv_nsec = until % NANOSECONDS};
    return wait(arguments, &deadline, CALL_SITE);
}

/* A version may be that of several objects: all who wait for it look again. */
void notify_impl(const void *object, bool all, const struct wait_arguments *arguments)
{
    understood(arguments);
    if (!is_futex(arguments)) {
        object = version_of(object);
        bpor_access(FORM_ADD, object, sizeof *version, 1, __ATOMIC_RELAXED, CALL_SITE);
        all = true;
    }
    futex(object, FUTEX_WAKE_PRIVATE, all ? INT_MAX : 1, NULL, CALL_SITE);
}
