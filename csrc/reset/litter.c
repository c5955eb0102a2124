/* Only files that we have made are truncated: standard output and standard error are truncated if they are memory files of the
 * controller, and left alone otherwise.
 */
#define _GNU_SOURCE
#include "reset/litter.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void bpor_litter_drop_output(void)
{
    for (int fd = 1; fd <= 2; fd++) {
        struct stat facts;
        if (sys_call3(SYS_fstat, fd, &facts, 0) == 0 && S_ISREG(facts.st_mode) && facts.st_nlink == 0 && facts.st_size > 0) {
            sys_call3(SYS_ftruncate, fd, 0, 0);
            sys_call3(SYS_lseek, fd, 0, SEEK_SET);
        }
    }
}

struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short bytes;
    unsigned char type;
    char name[];
};

static bool is_empty(const char *path)
{
    _Alignas(8) char buffer[512];
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    bool left = false;
    if (fd < 0)
        return true;
    long got = sys_call3(SYS_getdents64, fd, buffer, sizeof buffer);
    for (long at = 0; at < got && !left;) {
        const struct entry *entry = (const struct entry *)(buffer + at);
        left = strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0;
        at += entry->bytes;
    }
    sys_call3(SYS_close, fd, 0, 0);
    return !left;
}

bool bpor_litter_left(void)
{
    char changes[2 * PATH_MAX];
    snprintf(changes, sizeof changes, "%s/../changes", bpor->shared->config.temporary);
    return !is_empty(bpor->shared->config.temporary) || !is_empty(changes);
}
