/* No descriptor of the target is changed here unless the caller asks for it. */
#define _GNU_SOURCE
#include "process/descriptors.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <stdlib.h>

enum { DIRECTORY_BYTES = 8192, HIGH_DESCRIPTOR = 200 };

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

int bpor_descriptor_raise(long fd)
{
    long high = sys_call3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (fd < 0 || high < 0)
        return (int)fd;
    sys_call3(SYS_close, fd, 0, 0);
    return (int)high;
}

/* Every number that is the name of something in a directory, and the descriptor by which that is read. */
static void each_number(const char *path, void (*visit)(int number, int reader))
{
    char buffer[DIRECTORY_BYTES] __attribute__((aligned(8)));
    int directory = (int)sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    long bytes;
    while (directory >= 0 && (bytes = sys_call3(SYS_getdents64, directory, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < bytes;) {
            struct directory_entry *entry = (struct directory_entry *)(buffer + at);
            if (entry->name[0] != '.')
                visit(atoi(entry->name), directory);
            at += entry->length;
        }
    if (directory >= 0)
        sys_call3(SYS_close, directory, 0, 0);
}

long bpor_descriptors_read(const char *path, char *text, unsigned long room)
{
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    long total = 0, got = fd;
    while (fd >= 0 && (got = sys_read(fd, text + total, room - 1 - (unsigned long)total)) > 0)
        total += got;
    if (fd >= 0)
        sys_call3(SYS_close, fd, 0, 0);
    text[total] = '\0';
    return got < 0 ? got : total;
}

static void (*visitor)(int fd);

static void visit_descriptor(int fd, int reader)
{
    if (fd != reader)
        visitor(fd);
}

void bpor_descriptors_each(void (*visit)(int fd))
{
    visitor = visit;
    each_number("/proc/self/fd", visit_descriptor);
}

static uint64_t tasks;

static void count_task(int number, int reader)
{
    (void)number;
    (void)reader;
    tasks++;
}

uint64_t bpor_descriptors_tasks(void)
{
    tasks = 0;
    each_number("/proc/self/task", count_task);
    return tasks;
}
