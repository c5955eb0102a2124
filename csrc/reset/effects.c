/* Files, pipes and their like, and what the process knows of itself. Not here: whatever makes processes, mappings, timers or
 * signals, and connections to others. */
#define _GNU_SOURCE
#include "reset/effects.h"
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

/* A call that waits is the program's to make: whoever looks what it waits for must find it there. */
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
    case SYS_close:
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_lseek:
    case SYS_truncate:
    case SYS_ftruncate:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_getdents64:
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
    case SYS_pipe:
    case SYS_pipe2:
    case SYS_eventfd:
    case SYS_eventfd2:
    case SYS_socketpair:
    case SYS_shutdown:
    case SYS_mkdir:
    case SYS_mkdirat:
    case SYS_rmdir:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_chmod:
    case SYS_fchmod:
    case SYS_chdir:
    case SYS_fchdir:
    case SYS_umask:
        return true;
    default:
        return false;
    }
}
