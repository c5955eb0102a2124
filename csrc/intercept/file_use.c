/* Pieces of the file system by what the kernel calls them: contents by device, inode and the inode's generation, because the
 * number of a file that is gone is given to the next; names by their directory's, places in open files by descriptor. They only
 * tell who shares what: an inode's number is not the same in every execution, so that the operation itself has one object for all
 * files. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "reset/guard_files.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>

enum piece_kind { CONTENTS = 1, NAME, PLACE };

static uint64_t piece(enum piece_kind kind, uint64_t first, uint64_t second)
{
    return bpor_mix(bpor_mix(kind, first), second);
}

static uint64_t hash_bytes(const char *bytes, size_t count)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < count; i++)
        hash = bpor_mix(hash, (unsigned char)bytes[i]);
    return hash;
}

/* A handle tells one inode from the next of its number, where the file system makes any. */
static uint64_t contents(const struct stat *facts, int directory, const char *path, int flags)
{
    _Alignas(struct file_handle) char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
    struct file_handle *handle = (struct file_handle *)room;
    int mount;
    handle->handle_bytes = MAX_HANDLE_SZ;
    bool made = sys_call6(SYS_name_to_handle_at, directory, (long)path, (long)handle, (long)&mount, flags, 0) == 0;
    uint64_t which = made ? hash_bytes((const char *)handle->f_handle, handle->handle_bytes) : 0;
    return piece(CONTENTS, facts->st_dev, bpor_mix(facts->st_ino, which));
}

static bool is_file(const struct stat *facts)
{
    return S_ISREG(facts->st_mode) || S_ISDIR(facts->st_mode);
}

void bpor_file_use(int fd, unsigned access, const void *site)
{
    struct stat facts;
    if (!bpor_process_state_matters() || bpor_guard_is_output(fd) || sys_call3(SYS_fstat, fd, &facts, 0) != 0 || !is_file(&facts))
        return;
    bpor_state_note(STATE_FILES, contents(&facts, fd, "", AT_EMPTY_PATH), access & (LOOKS | CHANGES));
    if (access & MOVES) /* where a writer stood shows only to whoever looks */
        bpor_state_note(STATE_FILES, piece(PLACE, (uint64_t)fd, 0), (access & LOOKS) | CHANGES);
    bpor_state_step(STATE_FILES, access & MOVES ? CHANGES : access, site);
}

/* 0: there is none. */
static uint64_t directory_of(int directory, const char *path)
{
    char parent[PATH_MAX] = ".";
    struct stat facts;
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof parent)
        return 0;
    if (slash) {
        memcpy(parent, path, length);
        parent[length] = '\0';
    }
    if (sys_call4(SYS_newfstatat, directory, parent, &facts, 0) != 0)
        return 0;
    return contents(&facts, directory, parent, AT_SYMLINK_FOLLOW);
}

static void note_path(int directory, const char *path, unsigned access)
{
    struct stat facts;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *last = memrchr(path, '/', length);
    size_t before = last && last > path ? (size_t)(last - path) + 1 : 0;
    if (directory == AT_FDCWD && path[0] != '/')
        bpor_state_note(STATE_DIRECTORY, 0, LOOKS);
    uint64_t home = directory_of(directory, path);
    if (home == 0)
        return;
    bpor_state_note(STATE_FILES, piece(NAME, home, hash_bytes(path + before, length - before)), access);
    if (access & CHANGES)
        bpor_state_note(STATE_FILES, home, CHANGES);
    if (sys_call4(SYS_newfstatat, directory, path, &facts, 0) == 0 && is_file(&facts))
        bpor_state_note(STATE_FILES, contents(&facts, directory, path, AT_SYMLINK_FOLLOW), access);
}

static void path_step(int directory, const char *path, unsigned access, const void *site)
{
    if (directory == AT_FDCWD && path[0] != '/')
        bpor_state_step(STATE_DIRECTORY, LOOKS, site);
    bpor_state_step(STATE_FILES, access, site);
}

void bpor_path_use(int directory, const char *path, unsigned access, const void *site)
{
    if (path == NULL || !bpor_process_state_matters())
        return;
    note_path(directory, path, access);
    path_step(directory, path, access, site);
}

void bpor_two_paths_use(int from_directory, const char *from, int to_directory, const char *to, const void *site)
{
    if (from == NULL || to == NULL || !bpor_process_state_matters())
        return;
    note_path(from_directory, from, LOOKS | CHANGES);
    note_path(to_directory, to, LOOKS | CHANGES);
    path_step(from_directory, from, CHANGES, site);
}

static void stream_use(const FILE *stream, unsigned access, const void *site)
{
    if (stream->_fileno >= 0)
        bpor_file_use(stream->_fileno, access, site);
}

void bpor_stream_read_use(FILE *stream, const void *site)
{
    if (stream != NULL && stream->_IO_read_ptr >= stream->_IO_read_end)
        stream_use(stream, LOOKS | MOVES, site);
}

void bpor_stream_write_use(FILE *stream, size_t bytes, const void *site)
{
    if (stream != NULL && (__flbf(stream) || __fpending(stream) + bytes >= __fbufsize(stream)))
        stream_use(stream, CHANGES | MOVES, site);
}

void bpor_stream_flush_use(FILE *stream, const void *site)
{
    if (stream != NULL && __fpending(stream) > 0)
        stream_use(stream, CHANGES | MOVES, site);
}

void bpor_stream_seek_use(FILE *stream, const void *site)
{
    bpor_stream_flush_use(stream, site);
    if (stream != NULL)
        stream_use(stream, LOOKS | MOVES, site);
}
