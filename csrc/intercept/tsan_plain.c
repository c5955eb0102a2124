/* Plain accesses: not scheduling points, but checked for races (race/shadow.c). Volatile ones of a machine word are
 * operations, as READ_ONCE and WRITE_ONCE mean them, but nothing makes them atomic or ordered: two of them may be a race too. */
#include "instrument/callbacks.h"
#include "memory/memory.h"
#include "memory/recent.h"
#include "python/entries.h"
#include "python/gil.h"
#include "python/script.h"
#include "python/switches.h"
#include "runtime/real.h"
#include "trust/trust.h"

static void volatile_access(void *address, uint32_t size, enum atomic_form form, const void *site)
{
    if (size > sizeof(uint64_t) || (uintptr_t)address % size != 0) {
        bpor_plain_access(address, size, form == FORM_STORE, site);
        return;
    }
    bool checked =
        bpor_self && bpor->shared->config.races == BPOR_RACES_REPORT && !(bpor_trusts && bpor_trusted_code((uintptr_t)site - 1));
    struct memory_access access = {.address = address,
                                   .size = size,
                                   .form = form,
                                   .order = __ATOMIC_RELAXED,
                                   .performed_by_caller = true,
                                   .may_race = checked && !bpor_visible_place((uintptr_t)address, size)};
    bpor_atomic(&access, site);
}

/* Every access of an instrumented program comes through here. */
#define ACCESS(name, size, write)                                                                                                \
    INTERCEPT void __tsan_##name(void *address)                                                                                  \
    {                                                                                                                            \
        if (!bpor_recent_has((uintptr_t)address, __builtin_ctz(size), write) || --bpor_plain_left <= 0)                          \
            bpor_sized_access(address, __builtin_ctz(size), write, CALL_SITE);                                                   \
    }
#define VOLATILE(name, size, form)                                                                                               \
    INTERCEPT void __tsan_##name(void *address)                                                                                  \
    {                                                                                                                            \
        volatile_access(address, size, form, CALL_SITE);                                                                         \
    }
#define SIZES(ROW, kind, how)                                                                                                    \
    ROW(kind##1, 1, how) ROW(kind##2, 2, how) ROW(kind##4, 4, how) ROW(kind##8, 8, how) ROW(kind##16, 16, how)
#define UNALIGNED(ROW, kind, how) ROW(kind##2, 2, how) ROW(kind##4, 4, how) ROW(kind##8, 8, how) ROW(kind##16, 16, how)

SIZES(ACCESS, read, false)
SIZES(ACCESS, write, true)
SIZES(ACCESS, read_write, true)
SIZES(VOLATILE, volatile_read, FORM_LOAD)
SIZES(VOLATILE, volatile_write, FORM_STORE)
UNALIGNED(ACCESS, unaligned_read, false)
UNALIGNED(ACCESS, unaligned_write, true)
UNALIGNED(ACCESS, unaligned_read_write, true)
UNALIGNED(VOLATILE, unaligned_volatile_read, FORM_LOAD)
UNALIGNED(VOLATILE, unaligned_volatile_write, FORM_STORE)

INTERCEPT void __tsan_read_range(void *address, unsigned long bytes)
{
    bpor_plain_access(address, bytes, false, CALL_SITE);
}

INTERCEPT void __tsan_write_range(void *address, unsigned long bytes)
{
    bpor_plain_access(address, bytes, true, CALL_SITE);
}

/* A destructor stores the pointer that is there already, which is not a race with a reader. */
INTERCEPT void __tsan_vptr_update(void **vptr, void *value)
{
    if (*vptr != value)
        bpor_plain_access(vptr, sizeof *vptr, true, CALL_SITE);
}

INTERCEPT void __tsan_vptr_read(void **vptr)
{
    bpor_plain_access(vptr, sizeof *vptr, false, CALL_SITE);
}

INTERCEPT void __tsan_func_entry(void *caller)
{
    struct thread *self = bpor_self;
    if (self == NULL || !bpor->instrumented)
        return;
    if (bpor_gil.mutex)
        bpor_switch_entered(self, caller);
    bpor_call_entered(self, caller, (uintptr_t)__builtin_frame_address(0));
    if (bpor_gil.mutex)
        bpor_entry_note(self, caller);
    bpor_script_entered(self);
}

INTERCEPT void __tsan_func_exit(void)
{
    struct thread *self = bpor_self;
    if (self == NULL || !bpor->instrumented)
        return;
    bpor_call_left(self);
    bpor_script_left(self);
}
