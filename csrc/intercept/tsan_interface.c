/* The public ThreadSanitizer interface, for sources that call it when they are built with its instrumentation: acquire and
 * release are happens-before edges, the rest is accepted. Also where modules with the stub inside attach. */
#include "instrument/callbacks.h"
#include "runtime/instrumented.h"
#include "runtime/objects.h"
#include "runtime/race.h"
#include "runtime/real.h"

static uint64_t edge_at(const volatile void *address)
{
    uint64_t allocation_site;
    return bpor_canonical((uintptr_t)address, BPOR_CLASS_SYNC, &allocation_site);
}

static void acquire(const volatile void *address)
{
    if (bpor_controlled())
        bpor_race_acquire(bpor_self, edge_at(address));
}

static void release(const volatile void *address)
{
    if (bpor_controlled())
        bpor_race_release(bpor_self, edge_at(address));
}

INTERCEPT void __tsan_init(void)
{
    bpor_instrumented_found();
}

INTERCEPT void __tsan_acquire(void *address)
{
    acquire(address);
}

INTERCEPT void __tsan_release(void *address)
{
    release(address);
}

INTERCEPT void AnnotateHappensBefore(const char *file, int line, const volatile void *address)
{
    (void)file, (void)line;
    release(address);
}

INTERCEPT void AnnotateHappensAfter(const char *file, int line, const volatile void *address)
{
    (void)file, (void)line;
    acquire(address);
}

INTERCEPT void __tsan_mutex_post_lock(void *address, unsigned flags, int recursion)
{
    (void)flags, (void)recursion;
    acquire(address);
}

INTERCEPT int __tsan_mutex_pre_unlock(void *address, unsigned flags)
{
    (void)flags;
    release(address);
    return 0;
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define ACCEPTED(name, ...)                                                                                                      \
    INTERCEPT void name(__VA_ARGS__)                                                                                             \
    {                                                                                                                            \
    }
ACCEPTED(__tsan_mutex_create, void *address, unsigned flags)
ACCEPTED(__tsan_mutex_destroy, void *address, unsigned flags)
ACCEPTED(__tsan_mutex_pre_lock, void *address, unsigned flags)
ACCEPTED(__tsan_mutex_post_unlock, void *address, unsigned flags)
ACCEPTED(__tsan_mutex_pre_signal, void *address, unsigned flags)
ACCEPTED(__tsan_mutex_post_signal, void *address, unsigned flags)
ACCEPTED(__tsan_mutex_pre_divert, void *address, unsigned flags)
ACCEPTED(__tsan_mutex_post_divert, void *address, unsigned flags)
ACCEPTED(__tsan_ignore_thread_begin, void)
ACCEPTED(__tsan_ignore_thread_end, void)
ACCEPTED(AnnotateBenignRaceSized, const char *file, int line, const volatile void *address, long bytes, const char *why)
ACCEPTED(AnnotateIgnoreReadsBegin, const char *file, int line)
ACCEPTED(AnnotateIgnoreReadsEnd, const char *file, int line)
ACCEPTED(AnnotateIgnoreWritesBegin, const char *file, int line)
ACCEPTED(AnnotateIgnoreWritesEnd, const char *file, int line)
