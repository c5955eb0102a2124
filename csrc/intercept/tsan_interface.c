/* The public ThreadSanitizer interface and the annotations, for sources that call them when they are built with its
 * instrumentation: happens-before edges, locks that the program implements itself, and what is to be ignored. Inside the code of
 * such a lock (between pre and post) plain accesses are not checked; its atomic accesses order memory as everywhere. */
#include "instrument/callbacks.h"
#include "memory/instrumented.h"
#include "race/race.h"
#include "runtime/objects.h"
#include "runtime/real.h"

/* Of sanitizer/tsan_interface.h. */
enum { READ_LOCK = 1 << 3, TRY_LOCK_FAILED = 1 << 5 };
enum { ENTER = 1, LEAVE = -1 };

static uint64_t edge_at(const volatile void *address)
{
    uint64_t allocation_site;
    return bpor_canonical((uintptr_t)address, BPOR_CLASS_SYNC, &allocation_site);
}

static void acquire(const volatile void *address, bool write)
{
    if (bpor_controlled())
        bpor_race_acquire(bpor_self, edge_at(address), write);
}

static void release(const volatile void *address, bool write)
{
    if (bpor_controlled())
        bpor_race_release(bpor_self, edge_at(address), write);
}

static void ignore(bool reads, bool writes, int by)
{
    bpor_race_ignore(bpor_self, reads, writes, by);
}

INTERCEPT void __tsan_init(void)
{
    bpor_instrumented_around(CALL_SITE);
}

INTERCEPT int __tsan_mutex_pre_unlock(void *address, unsigned flags)
{
    release(address, !(flags & READ_LOCK));
    ignore(true, true, ENTER);
    return 0;
}

static void locked(void *address, unsigned flags)
{
    ignore(true, true, LEAVE);
    if (!(flags & TRY_LOCK_FAILED))
        acquire(address, !(flags & READ_LOCK));
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define DOES(name, parameters, action)                                                                                           \
    INTERCEPT void name parameters                                                                                               \
    {                                                                                                                            \
        action;                                                                                                                  \
    }
#define LOCATED(name, action, ...) DOES(Annotate##name, (const char *file, int line, ##__VA_ARGS__), action)
#define PLACE const volatile void *address

DOES(__tsan_acquire, (void *address), acquire(address, true))
DOES(__tsan_release, (void *address), release(address, true))
DOES(__tsan_mutex_create, (void *address, unsigned flags), )
DOES(__tsan_mutex_destroy, (void *address, unsigned flags), )
DOES(__tsan_mutex_pre_lock, (void *address, unsigned flags), ignore(true, true, ENTER))
DOES(__tsan_mutex_post_lock, (void *address, unsigned flags, int recursion), locked(address, flags))
DOES(__tsan_mutex_post_unlock, (void *address, unsigned flags), ignore(true, true, LEAVE))
DOES(__tsan_mutex_pre_signal, (void *address, unsigned flags), ignore(true, true, ENTER))
DOES(__tsan_mutex_post_signal, (void *address, unsigned flags), ignore(true, true, LEAVE))
DOES(__tsan_mutex_pre_divert, (void *address, unsigned flags), ignore(true, true, LEAVE))
DOES(__tsan_mutex_post_divert, (void *address, unsigned flags), ignore(true, true, ENTER))
DOES(__tsan_ignore_thread_begin, (void), ignore(true, true, ENTER))
DOES(__tsan_ignore_thread_end, (void), ignore(true, true, LEAVE))

LOCATED(HappensBefore, release(address, true), PLACE)
LOCATED(HappensAfter, acquire(address, true), PLACE)
LOCATED(RWLockCreate, , PLACE)
LOCATED(RWLockCreateStatic, , PLACE)
LOCATED(RWLockDestroy, , PLACE)
LOCATED(RWLockAcquired, acquire(address, writes), PLACE, long writes)
LOCATED(RWLockReleased, release(address, writes), PLACE, long writes)
LOCATED(NewMemory, bpor_shadow_clear((uintptr_t)address, (size_t)bytes), PLACE, long bytes)
LOCATED(ThreadName, , const char *name)
LOCATED(BenignRace, bpor_race_benign((uintptr_t)address, 1), PLACE, const char *why)
LOCATED(BenignRaceSized, bpor_race_benign((uintptr_t)address, (size_t)bytes), PLACE, long bytes, const char *why)
LOCATED(IgnoreReadsBegin, ignore(true, false, ENTER))
LOCATED(IgnoreReadsEnd, ignore(true, false, LEAVE))
LOCATED(IgnoreWritesBegin, ignore(false, true, ENTER))
LOCATED(IgnoreWritesEnd, ignore(false, true, LEAVE))
