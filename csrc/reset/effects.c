/* Which system calls have an effect that is the program's own: SYSTEM_CALL_OWN of the table, and of fcntl some commands. */
#define _GNU_SOURCE
#include "reset/effects.h"
#include "process/system_calls.h"
#include <fcntl.h>
#include <sys/syscall.h>

static bool is_own_control(long command, long value)
{
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
    case F_GETFD:
    case F_SETFD:
    case F_GETFL:
        return true;
    case F_SETFL:
        return !(value & O_ASYNC);
    default:
        return false;
    }
}

bool bpor_effect_is_own(long number, const long *argument)
{
    switch (number) {
    case SYS_fcntl:
        return is_own_control(argument[1], argument[2]);
    default:
        return bpor_system_call_has(number, SYSTEM_CALL_OWN);
    }
}
