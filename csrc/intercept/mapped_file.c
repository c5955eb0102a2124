#define _GNU_SOURCE
#include "intercept/mapped_file.h"
#include "intercept/told.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MOST = 256 };

static struct mapped_files {
    uint32_t count;
    struct mapped_file {
        uintptr_t start;
        uintptr_t end;
        uint64_t offset; /* in the file */
        dev_t device;
        ino_t inode;
    } file[MOST];
} * known;

void bpor_mapped_files_reserve(void)
{
    known = bpor_reserve(sizeof *known);
}

void bpor_file_mapped(uintptr_t start, size_t bytes, int fd, off_t offset)
{
    struct stat facts;
    if (sys_call3(SYS_fstat, fd, &facts, 0) != 0)
        return;
    if (known->count == MOST)
        bpor_refuse("mmap", "more than 256 files are mapped at once, and calls that write them would not be seen in memory");
    known->file[known->count++] = (struct mapped_file){start, start + bytes, (uint64_t)offset, facts.st_dev, facts.st_ino};
}

/* One that goes in part stays: whoever accesses what is gone has other worries. */
void bpor_file_unmapped(uintptr_t start, size_t bytes)
{
    for (uint32_t i = known->count; i-- > 0;)
        if (known->file[i].start >= start && known->file[i].end <= start + bytes)
            known->file[i] = known->file[--known->count];
}

static uint64_t place_of(int fd, off_t at, const struct stat *facts, unsigned access)
{
    if (at != HERE)
        return (uint64_t)at;
    if (access & CHANGES && sys_call3(SYS_fcntl, fd, F_GETFL, 0) & O_APPEND)
        return (uint64_t)facts->st_size;
    return (uint64_t)sys_call3(SYS_lseek, fd, 0, SEEK_CUR);
}

static void tell(const struct mapped_file *file, uint64_t from, uint64_t to, unsigned access, const void *site)
{
    uint64_t low = from > file->offset ? from - file->offset : 0;
    uint64_t high = to > file->offset ? to - file->offset : 0;
    size_t size = file->end - file->start;
    if (high > size)
        high = size;
    if (low >= high)
        return;
    (access & CHANGES ? bpor_told_fill : bpor_told_read)((const void *)(file->start + low), high - low, site);
}

/* /proc/self/mem and its like: a file in which a place is an address. */
static bool is_own_memory(int fd, const struct stat *facts)
{
    static const char name[] = "/mem";
    char link[32], path[64];
    struct statfs system;
    if (!S_ISREG(facts->st_mode) || facts->st_size != 0 || sys_call3(SYS_fstatfs, fd, &system, 0) != 0 ||
        system.f_type != PROC_SUPER_MAGIC)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long length = sys_call3(SYS_readlink, link, path, sizeof path);
    long own = (long)sizeof name - 1;
    return length > own && length < (long)sizeof path && memcmp(path + length - own, name, (size_t)own) == 0;
}

void bpor_mapped_file_use(int fd, off_t at, size_t bytes, unsigned access, const void *site)
{
    struct stat facts;
    if (!bpor_controlled() || !bpor_listens(site) || sys_call3(SYS_fstat, fd, &facts, 0) != 0)
        return;
    uint64_t from = place_of(fd, at, &facts, access);
    uint64_t to = from + bytes < from ? UINT64_MAX : from + bytes;
    if (is_own_memory(fd, &facts))
        tell(&(struct mapped_file){.end = UINTPTR_MAX}, from, to, access, site);
    for (uint32_t i = 0; i < known->count; i++)
        if (known->file[i].device == facts.st_dev && known->file[i].inode == facts.st_ino)
            tell(&known->file[i], from, to, access, site);
}
