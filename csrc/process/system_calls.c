#include "process/system_calls.h"
#include "runtime/runtime.h"
#include <stddef.h>
#include <sys/syscall.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

enum {
    NAMED = SYSTEM_CALL_NAMED,
    HARMLESS = SYSTEM_CALL_HARMLESS,
    ASKS = SYSTEM_CALL_ASKS,
    OWN = SYSTEM_CALL_OWN,
    CHANNEL = SYSTEM_CALL_CHANNEL,
    WHO = SYSTEM_CALL_WHO,
    SECOND_WHO = SYSTEM_CALL_SECOND_WHO,
};

static const struct known_call {
    const char *name;
    unsigned properties;
    const char *said; /* of one that is refused */
    const char *way_out;
} calls[] = {
#define CALL(name, properties) [SYS_##name] = {#name, properties, NULL, NULL},
#define ABSENT(name) [SYS_##name] = {#name, SYSTEM_CALL_ABSENT, NULL, NULL},
#define REFUSED(name, said, way_out) [SYS_##name] = {#name, SYSTEM_CALL_REFUSED, said, way_out},
#include "process/system_calls.def"
#undef CALL
#undef ABSENT
#undef REFUSED
};

static const struct known_call *known(long number)
{
    static const struct known_call nothing = {"something", SYSTEM_CALL_NAMED, NULL, NULL};
    bool has_row = number >= 0 && (size_t)number < sizeof calls / sizeof calls[0] && calls[number].name;
    return has_row ? &calls[number] : &nothing;
}

const char *bpor_system_call_name(long number)
{
    return known(number)->name;
}

bool bpor_system_call_has(long number, enum system_call_property property)
{
    return known(number)->properties & property;
}

void bpor_refuse_system_call(long number)
{
    const struct known_call *call = known(number);
    if (call->properties & SYSTEM_CALL_REFUSED)
        bpor_refuse(call->said, call->way_out);
}
