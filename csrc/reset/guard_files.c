/* The table lies in memory that outlives executions, because it says what has to be closed. This file closes only descriptors
 * that the execution opened. */
#define _GNU_SOURCE
#include "reset/guard_files.h"
#include "reset/guard.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FD = 1024, READING = O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_LARGEFILE };

static uint8_t *opened; /* by descriptor */

void bpor_guard_files_reserve(void)
{
    opened = bpor_reserve_kept(MAX_FD);
}

bool bpor_guard_files_open(void)
{
    return memchr(opened, 1, MAX_FD) != NULL;
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

/* A pipe would be an effect, and a device may be one. What is not there cannot be opened: the call itself will say so. */
static bool may_be_read(long directory, long path, long flags)
{
    struct stat facts;
    if (flags & ~(long)READING) /* O_RDONLY is 0 */
        return false;
    return sys_call4(SYS_newfstatat, directory, path, &facts, 0) != 0 || S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode);
}

static bool is_opened(long fd)
{
    return fd >= 0 && fd < MAX_FD && opened[fd];
}

bool bpor_guard_allows_file(long number, const long *argument)
{
    switch (number) {
    case SYS_openat:
        return may_be_read((int)argument[0], argument[1], argument[2]);
    case SYS_lseek: /* only asks, and of output it would be told what earlier executions wrote */
        return is_opened(argument[0]) || (argument[1] == 0 && argument[2] == SEEK_CUR && !bpor_guard_is_output((int)argument[0]));
    case SYS_fcntl:
        return argument[1] == F_GETFD || argument[1] == F_GETFL || (is_opened(argument[0]) && argument[1] == F_SETFD);
    case SYS_read:
    case SYS_pread64:
    case SYS_getdents64:
    case SYS_close:
        return is_opened(argument[0]);
    default:
        return false;
    }
}

void bpor_guard_file_called(long number, const long *argument, long result)
{
    if (number == SYS_openat && result >= MAX_FD)
        bpor_guard_give_up(SYS_openat, "the program has more than 1024 files open");
    else if (number == SYS_openat && result >= 0)
        opened[result] = 1;
    else if (number == SYS_close)
        opened[argument[0]] = 0;
}

void bpor_guard_files_close(void)
{
    uint8_t *left;
    while ((left = memchr(opened, 1, MAX_FD))) {
        sys_call3(SYS_close, left - opened, 0, 0);
        *left = 0;
    }
}

static struct digest digest_file(long fd)
{
    struct stat facts = {0};
    struct digest sequence = digest_of((uint64_t)fd);
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
    for (const uint8_t *at = opened; (at = memchr(at, 1, (size_t)(opened + MAX_FD - at))); at++)
        digest_include(set, digest_file(at - opened));
}
