/* An open file's offset is shared across fork: regular files that are open at the fork point are opened again in every
 * execution, at the offset they had. stdin comes from /dev/null or the file that was asked for. */
#define _GNU_SOURCE
#include "runtime/descriptors.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_FILES = 256, DIRECTORY_BYTES = 8192 };

static struct open_file {
    int fd;
    int flags;
    long offset;
} file[MAX_FILES];
static unsigned files;

struct directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

bool bpor_descriptor_is_ours(int fd)
{
    return bpor != NULL && bpor->attached && (fd == bpor->plan_fd || fd == bpor->event_fd);
}

static void each_entry(const char *path, void (*visit)(const char *name))
{
    char buffer[DIRECTORY_BYTES] __attribute__((aligned(8)));
    int directory = (int)sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    long bytes;
    while (directory >= 0 && (bytes = sys_call3(SYS_getdents64, directory, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < bytes;) {
            struct directory_entry *entry = (struct directory_entry *)(buffer + at);
            if (entry->name[0] != '.')
                visit(entry->name);
            at += entry->length;
        }
    if (directory >= 0)
        sys_call3(SYS_close, directory, 0, 0);
}

static void remember(const char *name)
{
    int fd = atoi(name);
    struct stat facts;
    if (fd <= 2 || files == MAX_FILES || sys_call3(SYS_fstat, fd, &facts, 0) != 0 || !S_ISREG(facts.st_mode))
        return;
    int flags = (int)sys_call3(SYS_fcntl, fd, F_GETFL, 0);
    if (flags & O_PATH)
        return;
    file[files++] = (struct open_file){fd, flags, sys_call3(SYS_lseek, fd, 0, SEEK_CUR)};
}

void bpor_descriptors_remember(void)
{
    each_entry("/proc/self/fd", remember);
}

static void put_at(int opened, int fd)
{
    if (opened < 0 || opened == fd)
        return;
    int close_on_exec = sys_call3(SYS_fcntl, fd, F_GETFD, 0) & FD_CLOEXEC ? O_CLOEXEC : 0;
    sys_call3(SYS_dup3, opened, fd, close_on_exec);
    sys_call3(SYS_close, opened, 0, 0);
}

void bpor_descriptors_reopen(void)
{
    const char *input = bpor->shared->config.stdin_path;
    put_at((int)sys_call4(SYS_openat, AT_FDCWD, input[0] ? input : "/dev/null", O_RDONLY, 0), 0);
    for (unsigned i = 0; i < files; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", file[i].fd);
        int opened = (int)sys_call4(SYS_openat, AT_FDCWD, path, file[i].flags & ~(O_CREAT | O_EXCL | O_TRUNC), 0);
        if (opened >= 0)
            sys_call3(SYS_lseek, opened, file[i].offset, SEEK_SET);
        put_at(opened, file[i].fd);
    }
}

static uint64_t tasks;

static void count_task(const char *name)
{
    (void)name;
    tasks++;
}

uint64_t bpor_descriptors_tasks(void)
{
    tasks = 0;
    each_entry("/proc/self/task", count_task);
    return tasks;
}
