/* Touches nothing but the journal's directory. A record is seven texts, each with a zero behind it: kind, number of the copy,
 * permissions, time of the last change, inode, path, and its owner, or where a symbolic link leads or a directory went. */
#define _GNU_SOURCE
#include "reset/changes.h"
#include "reset/keeper.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_TOUCHED = 1024, NAME_BYTES = 96, RECORD_BYTES = 2 * PATH_MAX + 256, WHOLE_FILE = 1 << 30 };
static const long long largest = 64 << 20;

static const char *journals; /* where; NULL: nobody watches */
static unsigned copies;
static uint64_t touched[MAX_TOUCHED]; /* names by hash: what they led to first is what counts */
static unsigned touched_count;

void bpor_changes_watch(const char *directory)
{
    journals = directory;
    touched_count = 0;
}

/* With rollback the guard ends an execution that would change anything. */
static bool watching(void)
{
    return journals != NULL && !bpor_keeper_active();
}

static int open_in_journal(const char *name, int flags)
{
    char path[PATH_MAX + 2 * NAME_BYTES];
    snprintf(path, sizeof path, "%s/../%s/%s", bpor->shared->config.temporary, journals, name);
    return (int)sys_call4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

/* If the execution went on, it would change something that nobody could put back. */
static void refuse(const char *path, const char *why)
{
    struct bpor_end *end = &bpor->shared->end;
    snprintf(end->message, sizeof end->message, "%s would be changed by every execution, and %s; use a file in TMPDIR", path,
             why);
    if (bpor_self != NULL)
        bpor_end_with_stack(BPOR_OUTCOME_REFUSED, 0, end->message);
    bpor_end(BPOR_OUTCOME_REFUSED, 0, end->message);
}

/* ---- names ---- */

static bool link_target(const char *link, char *target)
{
    long bytes = sys_call3(SYS_readlink, link, target, PATH_MAX - 1);
    target[bytes > 0 ? bytes : 0] = '\0';
    return bytes > 0;
}

/* From the root; false: there is no such directory. */
static bool whole_path(int directory, const char *path, char *whole)
{
    char link[NAME_BYTES], from[PATH_MAX] = "";
    if (path[0] != '/') {
        snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", directory);
        if (!link_target(link, from))
            return false;
    }
    return snprintf(whole, PATH_MAX, "%s%s%s", from, path[0] == '/' ? "" : "/", path) < PATH_MAX;
}

static bool begins(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    return length > 0 && strncmp(path, directory, length) == 0 && path[length] == '/';
}

/* TMPDIR is emptied after each execution; /proc and /sys are the kernel's. */
static bool is_watched(const char *path)
{
    return !begins(path, bpor->shared->config.temporary) && !begins(path, "/proc") && !begins(path, "/sys");
}

static bool first_touch(const char *path)
{
    uint64_t hash = 1;
    for (const char *at = path; *at; at++)
        hash = bpor_mix(hash, (unsigned char)*at);
    for (unsigned i = 0; i < touched_count; i++)
        if (touched[i] == hash)
            return false;
    if (touched_count < MAX_TOUCHED)
        touched[touched_count++] = hash; /* one more copy does no harm */
    return true;
}

/* ---- records ---- */

static void write_record(char kind, unsigned copy, const struct stat *facts, const char *path, const char *more)
{
    char record[RECORD_BYTES];
    int length = snprintf(record, sizeof record, "%c%c%d-%u%c%u%c%lld%c%llu%c%s%c%s", kind, 0, sys_getpid(), copy, 0,
                          facts->st_mode, 0, (long long)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec, 0,
                          (unsigned long long)facts->st_ino, 0, path, 0, more);
    int journal = open_in_journal("journal", O_WRONLY | O_CREAT | O_APPEND);
    bool written = length < (int)sizeof record && sys_write(journal, record, (unsigned long)length + 1) == length + 1;
    if (journal >= 0)
        sys_call3(SYS_close, journal, 0, 0);
    if (!written)
        refuse(path, "that cannot be noted");
}

static const char *owner_of(const struct stat *facts)
{
    static char text[NAME_BYTES];
    snprintf(text, sizeof text, "%u:%u", facts->st_uid, facts->st_gid);
    return text;
}

static bool copy_bytes(const char *path, int copy, long long bytes)
{
    int file = (int)sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    long got = file;
    while (file >= 0 && bytes > 0 && (got = sys_call4(SYS_sendfile, copy, file, 0, WHOLE_FILE)) > 0)
        bytes -= got;
    if (file >= 0)
        sys_call3(SYS_close, file, 0, 0);
    return file >= 0 && got >= 0 && bytes <= 0;
}

static void put_aside(const char *path, const struct stat *facts)
{
    char name[NAME_BYTES];
    if (facts->st_size > largest)
        refuse(path, "it is larger than 64 MiB");
    snprintf(name, sizeof name, "%d-%u", sys_getpid(), ++copies);
    int copy = open_in_journal(name, O_WRONLY | O_CREAT | O_EXCL);
    bool copied = copy >= 0 && copy_bytes(path, copy, facts->st_size);
    if (copy >= 0)
        sys_call3(SYS_close, copy, 0, 0);
    if (!copied)
        refuse(path, "it cannot be copied");
    write_record('f', copies, facts, path, owner_of(facts));
}

static void note(int directory, const char *path, int flags)
{
    char whole[PATH_MAX], target[PATH_MAX];
    struct stat facts = {0};
    if (!watching() || path == NULL || !whole_path(directory, path, whole) || !is_watched(whole))
        return;
    long error = sys_call4(SYS_newfstatat, AT_FDCWD, whole, &facts, flags);
    if ((error && error != -ENOENT) || !first_touch(whole))
        return; /* the call itself will say what is wrong with the name */
    if (error)
        write_record('n', 0, &facts, whole, "");
    else if (S_ISREG(facts.st_mode))
        put_aside(whole, &facts);
    else if (S_ISDIR(facts.st_mode))
        write_record('d', 0, &facts, whole, owner_of(&facts));
    else if (S_ISLNK(facts.st_mode) && link_target(whole, target))
        write_record('l', 0, &facts, whole, target);
    else if (flags & AT_SYMLINK_NOFOLLOW) /* a pipe, a socket, a device, whose name would go */
        refuse(whole, "it is no file that could be made again");
}

void bpor_changes_file(int directory, const char *path)
{
    note(directory, path, 0);
}

void bpor_changes_name(int directory, const char *path)
{
    note(directory, path, AT_SYMLINK_NOFOLLOW);
}

static bool is_directory(const char *path)
{
    struct stat facts;
    return sys_call4(SYS_newfstatat, AT_FDCWD, path, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(facts.st_mode);
}

/* A directory goes with everything in it: it goes back the same way. */
void bpor_changes_names(int from_directory, const char *from, int to_directory, const char *to)
{
    char whole[PATH_MAX], there[PATH_MAX];
    const struct stat nothing = {0};
    if (!watching() || from == NULL || to == NULL)
        return;
    bool moves = whole_path(from_directory, from, whole) && whole_path(to_directory, to, there) && is_directory(whole);
    if (moves && (is_watched(whole) || is_watched(there))) {
        if (is_directory(there))
            note(to_directory, to, AT_SYMLINK_NOFOLLOW);
        write_record('m', 0, &nothing, whole, there);
        return;
    }
    note(from_directory, from, AT_SYMLINK_NOFOLLOW);
    note(to_directory, to, AT_SYMLINK_NOFOLLOW);
}

void bpor_changes_made(const char *path)
{
    char whole[PATH_MAX];
    const struct stat nothing = {0};
    if (watching() && whole_path(AT_FDCWD, path, whole) && is_watched(whole) && first_touch(whole))
        write_record('n', 0, &nothing, whole, "");
}

static bool exists(int directory, const char *path)
{
    struct stat facts;
    return sys_call4(SYS_newfstatat, directory, path, &facts, 0) == 0;
}

void bpor_changes_open(int directory, const char *path, int flags)
{
    if (!watching() || path == NULL || (flags & O_TMPFILE) == O_TMPFILE)
        return;
    bool makes = flags & O_CREAT && !exists(directory, path);
    if (makes || flags & O_TRUNC || (flags & O_ACCMODE) != O_RDONLY)
        bpor_changes_file(directory, path);
}

void bpor_changes_stream(const char *path, const char *mode)
{
    if (mode[0] != 'r' || strchr(mode, '+'))
        bpor_changes_file(AT_FDCWD, path);
}
