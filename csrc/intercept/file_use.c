/* Pieces of the file system by what the kernel calls them: contents by device and inode, names by their directory's, places in
 * open files by descriptor. They only tell who shares what: an inode's number is not the same in every execution, so that the
 * operation itself has one object for all files. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "runtime/guard_files.h"
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

static bool is_file(const struct stat *facts)
{
    return S_ISREG(facts->st_mode) || S_ISDIR(facts->st_mode);
}

void bpor_file_use(int fd, unsigned access, const void *site)
{
    struct stat facts;
    if (!bpor_process_state_matters() || bpor_guard_is_output(fd) || sys_call3(SYS_fstat, fd, &facts, 0) != 0 || !is_file(&facts))
        return;
    bpor_state_note(STATE_FILES, piece(CONTENTS, facts.st_dev, facts.st_ino), access & (LOOKS | CHANGES));
    if (access & MOVES) /* where a writer stood shows only to whoever looks */
        bpor_state_note(STATE_FILES, piece(PLACE, (uint64_t)fd, 0), (access & LOOKS) | CHANGES);
    bpor_state_step(STATE_FILES, access & MOVES ? CHANGES : access, site);
}

static uint64_t hash_text(const char *text, size_t bytes)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < bytes; i++)
        hash = bpor_mix(hash, (unsigned char)text[i]);
    return hash;
}

static bool directory_of(int directory, const char *path, struct stat *facts)
{
    char parent[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof parent)
        return false;
    if (slash) {
        memcpy(parent, path, length);
        parent[length] = '\0';
    }
    return sys_call4(SYS_newfstatat, directory, parent, facts, 0) == 0;
}

static void note_path(int directory, const char *path, unsigned access)
{
    struct stat parent, facts;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *last = memrchr(path, '/', length);
    size_t before = last && last > path ? (size_t)(last - path) + 1 : 0;
    if (directory == AT_FDCWD && path[0] != '/')
        bpor_state_note(STATE_DIRECTORY, 0, LOOKS);
    if (!directory_of(directory, path, &parent))
        return;
    uint64_t home = piece(CONTENTS, parent.st_dev, parent.st_ino);
    bpor_state_note(STATE_FILES, piece(NAME, home, hash_text(path + before, length - before)), access);
    if (access & CHANGES)
        bpor_state_note(STATE_FILES, home, CHANGES);
    if (sys_call4(SYS_newfstatat, directory, path, &facts, 0) == 0 && is_file(&facts))
        bpor_state_note(STATE_FILES, piece(CONTENTS, facts.st_dev, facts.st_ino), access);
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
