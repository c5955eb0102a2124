/* The table lies in memory that outlives executions, because it says what has to be closed. This file closes only descriptors
 * that the execution opened.
 *
 * A pipe, an eventfd, a pair of sockets or an epoll that an execution makes ends with its last descriptor, and with it whatever
 * was written into it or is registered there. So calls on one are allowed, unless they put it in the place of a descriptor from
 * before the execution or send descriptors through it. */
#define _GNU_SOURCE
#include "reset/guard_files.h"
#include "process/system_calls.h"
#include "reset/guard.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { NOT_OWN, FILE_TO_READ, CHANNEL }; /* what a descriptor is to the execution */
enum { MAX_FD = 1024, READING = O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_LARGEFILE }; /* O_RDONLY is 0 */
/* Devices of Linux (Documentation/admin-guide/devices.txt) that keep nothing of what is done to them. */
enum { MEMORY_DEVICES = 1, NULL_DEVICE = 3, ZERO_DEVICE = 5, RANDOM_DEVICE = 8, URANDOM_DEVICE = 9 };

static struct files {
    long end; /* no descriptor from here on was ever an execution's own */
    uint8_t opened[MAX_FD];
} * files;
static bool channels; /* were made by this execution */

void bpor_guard_files_reserve(void)
{
    files = bpor_reserve_kept(sizeof *files);
}

/* From a descriptor on; NULL: there is none. */
static uint8_t *next_opened(uint8_t *from)
{
    const uint8_t *end = files->opened + files->end;
    while (from < end && *from == NOT_OWN)
        from++;
    return from < end ? from : NULL;
}

bool bpor_guard_files_open(void)
{
    return next_opened(files->opened) != NULL;
}

bool bpor_guard_makes_channels(void)
{
    return channels;
}

static bool same_file(const struct stat *one, int fd)
{
    struct stat other;
    return sys_call3(SYS_fstat, fd, &other, 0) == 0 && one->st_dev == other.st_dev && one->st_ino == other.st_ino;
}

bool bpor_guard_is_output(int fd)
{
    struct stat facts;
    if (fd == 1 || fd == 2)
        return true;
    return sys_call3(SYS_fstat, fd, &facts, 0) == 0 && S_ISREG(facts.st_mode) && (same_file(&facts, 1) || same_file(&facts, 2));
}

static bool is_device(const struct stat *facts, unsigned minor_number)
{
    return S_ISCHR(facts->st_mode) && facts->st_rdev == makedev(MEMORY_DEVICES, minor_number);
}

bool bpor_guard_is_nowhere(int fd)
{
    struct stat facts;
    return sys_call3(SYS_fstat, fd, &facts, 0) == 0 && is_device(&facts, NULL_DEVICE);
}

/* A pipe would be an effect, and a device may be one, unless it keeps nothing. What is not there cannot be opened: the call
 * itself will say so. */
static bool may_be_opened(long directory, long path, long flags)
{
    struct stat facts;
    const bool reads = !(flags & ~(long)READING), missing = sys_call4(SYS_newfstatat, directory, path, &facts, 0) != 0;
    if (missing || S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode))
        return reads;
    return is_device(&facts, NULL_DEVICE) ||
           (reads && (is_device(&facts, ZERO_DEVICE) || is_device(&facts, RANDOM_DEVICE) || is_device(&facts, URANDOM_DEVICE)));
}

static uint8_t kind_of(long fd)
{
    return fd >= 0 && fd < MAX_FD ? files->opened[fd] : NOT_OWN;
}

static bool is_opened(long fd)
{
    return kind_of(fd) != NOT_OWN;
}

static bool is_read(long fd)
{
    return kind_of(fd) == FILE_TO_READ;
}

static bool makes_channel(long number)
{
    return bpor_system_call_has(number, SYSTEM_CALL_CHANNEL);
}

bool bpor_guard_allows_file(long number, const long *argument)
{
    switch (number) {
    case SYS_openat:
        return may_be_opened((int)argument[0], argument[1], argument[2]);
    case SYS_lseek: /* only asks, and of output it would be told what earlier executions wrote */
        return is_read(argument[0]) || (argument[1] == 0 && argument[2] == SEEK_CUR && !bpor_guard_is_output((int)argument[0]));
    case SYS_fcntl:
        return argument[1] == F_GETFD || argument[1] == F_GETFL || (is_opened(argument[0]) && argument[1] == F_SETFD);
    case SYS_read:
    case SYS_pread64:
    case SYS_getdents64:
        return is_read(argument[0]);
    case SYS_close:
        return is_opened(argument[0]);
    case SYS_ioctl:
        return is_opened(argument[0]) && (argument[1] == FIOCLEX || argument[1] == FIONCLEX);
    default:
        return makes_channel(number);
    }
}

/* Is it the execution's own, or nobody's? */
static bool may_be_replaced(long fd)
{
    return is_opened(fd) || sys_call3(SYS_fcntl, fd, F_GETFD, 0) < 0;
}

/* Descriptors that are sent along outlive the one that they were sent through. */
static bool sends_descriptors(const struct msghdr *message)
{
    return message->msg_controllen != 0;
}

bool bpor_guard_allows_on_channel(long number, const long *argument)
{
    switch (number) {
    case SYS_dup2:
    case SYS_dup3:
        return is_opened(argument[0]) && may_be_replaced(argument[1]);
    case SYS_fcntl:
        return is_opened(argument[0]) && !(argument[1] == F_SETFL && argument[2] & O_ASYNC);
    case SYS_sendmsg:
    case SYS_recvmsg:
        return is_opened(argument[0]) && !sends_descriptors((const struct msghdr *)argument[1]);
    default:
        return is_opened(argument[0]);
    }
}

static void open_at(long fd, uint8_t kind)
{
    if (fd < MAX_FD) {
        files->opened[fd] = kind;
        files->end = fd < files->end ? files->end : fd + 1;
    } else if (kind != NOT_OWN)
        bpor_guard_give_up(SYS_openat, "the program has more than 1024 files open");
}

static void open_two(const int descriptors[2])
{
    open_at(descriptors[0], CHANNEL);
    open_at(descriptors[1], CHANNEL);
}

static void channel_made(long number, const long *argument, long result)
{
    channels = true;
    if (number == SYS_socketpair)
        open_two((const int *)argument[3]);
    else if (number == SYS_pipe || number == SYS_pipe2)
        open_two((const int *)argument[0]);
    else
        open_at(result, CHANNEL);
    bpor_guard_note_effect(number);
}

static bool copies(long number, const long *argument)
{
    bool by_control = number == SYS_fcntl && (argument[1] == F_DUPFD || argument[1] == F_DUPFD_CLOEXEC);
    return by_control || number == SYS_dup || number == SYS_dup2 || number == SYS_dup3;
}

void bpor_guard_file_called(long number, const long *argument, long result)
{
    if (result < 0)
        return;
    if (number == SYS_openat)
        open_at(result, FILE_TO_READ);
    else if (makes_channel(number))
        channel_made(number, argument, result);
    else if (copies(number, argument))
        open_at(result, kind_of(argument[0]));
    else if (number == SYS_close && argument[0] < MAX_FD)
        files->opened[argument[0]] = NOT_OWN;
}

void bpor_guard_files_close(void)
{
    for (uint8_t *left = files->opened; (left = next_opened(left)); left++) {
        sys_call3(SYS_close, left - files->opened, 0, 0);
        *left = NOT_OWN;
    }
}

/* What a channel holds is known by the way that led to it (guard.c); its inode has another number in each execution. */
static struct digest digest_file(long fd)
{
    struct stat facts = {0};
    struct digest sequence = digest_of((uint64_t)fd);
    if (files->opened[fd] == CHANNEL)
        return sequence;
    sys_call3(SYS_fstat, fd, &facts, 0);
    digest_next(&sequence, facts.st_dev);
    digest_next(&sequence, facts.st_ino);
    digest_next(&sequence, (uint64_t)sys_call3(SYS_lseek, fd, 0, SEEK_CUR));
    digest_next(&sequence, (uint64_t)sys_call3(SYS_fcntl, fd, F_GETFD, 0));
    digest_next(&sequence, (uint64_t)sys_call3(SYS_fcntl, fd, F_GETFL, 0));
    return sequence;
}

void bpor_guard_files_digest(struct digest *set)
{
    for (uint8_t *at = files->opened; (at = next_opened(at)); at++)
        digest_include(set, digest_file(at - files->opened));
}
