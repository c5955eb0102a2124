/* Which system calls have an effect that is the program's own: SYSTEM_CALL_OWN of the table, but of fcntl only some
 * commands, and of what may wait only what does not. */
#define _GNU_SOURCE
#include "reset/effects.h"
#include "process/system_calls.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

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

/* Would the call return at once? A call that would block is left to the program itself, so that the watchdog finds the thread in
 * it. */
static bool is_ready(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};
    return sys_call3(SYS_poll, &one, 1, 0) != 0;
}

/* A pipe with a name is opened by both sides at once. */
static bool is_pipe(long directory, long path)
{
    struct stat facts;
    return sys_call4(SYS_newfstatat, directory, path, &facts, 0) == 0 && S_ISFIFO(facts.st_mode);
}

bool bpor_effect_is_own(long number, const long *argument)
{
    switch (number) {
    case SYS_fcntl:
        return is_own_control(argument[1], argument[2]);
    case SYS_open:
    case SYS_creat:
        return !is_pipe(AT_FDCWD, argument[0]);
    case SYS_openat:
        return !is_pipe((int)argument[0], argument[1]);
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
        return is_ready((int)argument[0], POLLIN);
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
        return is_ready((int)argument[0], POLLOUT);
    case SYS_poll:
        return argument[2] == 0;
    default:
        return bpor_system_call_has(number, SYSTEM_CALL_OWN);
    }
}
