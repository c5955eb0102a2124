/* Calls that take the name of a file. Before each call its use of the name is recorded (file_use.h). */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/told.h"
#include "process/asked.h"
#include "reset/changes.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#define PATH_CALL(result, name, parameters, arguments, directory, path, access)                                                  \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_path_use(directory, path, access, CALL_SITE);                                                                       \
        path = bpor_kernel_path(path);                                                                                           \
        return REAL(name) arguments;                                                                                             \
    }
/* What is known of a file goes into memory of the program. */
#define FACTS_CALL(result, name, parameters, arguments, directory, path, to, room, bytes)                                        \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        bpor_path_use(directory, path, LOOKS, site);                                                                             \
        bpor_told_room(to, room, site);                                                                                          \
        path = bpor_kernel_path(path);                                                                                           \
        result answer = REAL(name) arguments;                                                                                    \
        bpor_told_write(to, (ssize_t)(bytes), site);                                                                             \
        return answer;                                                                                                           \
    }
/* One that changes the name itself, and one that changes what it leads to. */
#define NAME_CALL(result, name, parameters, arguments, directory, path)                                                          \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_path_use(directory, path, LOOKS | CHANGES, CALL_SITE);                                                              \
        bpor_changes_name(directory, path);                                                                                      \
        return REAL(name) arguments;                                                                                             \
    }
#define FILE_CALL(result, name, parameters, arguments, directory, path, access)                                                  \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_path_use(directory, path, access, CALL_SITE);                                                                       \
        bpor_changes_file(directory, path);                                                                                      \
        return REAL(name) arguments;                                                                                             \
    }
#define FORTIFIED_CALL(name, parameters, arguments, directory)                                                                   \
    INTERCEPT int name parameters                                                                                                \
    {                                                                                                                            \
        bpor_opening_use(directory, path, bpor_opening_access(flags), CALL_SITE);                                                \
        bpor_changes_open(directory, path, flags);                                                                               \
        path = bpor_kernel_path(path);                                                                                           \
        return REAL(name) arguments;                                                                                             \
    }
#define TWO_PATHS_CALL(result, name, parameters, arguments, from_directory, from, to_directory, to)                              \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_two_paths_use(from_directory, from, to_directory, to, CALL_SITE);                                                   \
        bpor_changes_names(from_directory, from, to_directory, to);                                                              \
        return REAL(name) arguments;                                                                                             \
    }

/* ---- opening ---- */

static bool has_mode(int flags)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

#define READ_MODE(flags, last)                                                                                                   \
    mode_t mode = 0;                                                                                                             \
    if (has_mode(flags)) {                                                                                                       \
        va_list more;                                                                                                            \
        va_start(more, last);                                                                                                    \
        mode = va_arg(more, mode_t);                                                                                             \
        va_end(more);                                                                                                            \
    }

#define OPEN_CALL(name)                                                                                                          \
    INTERCEPT int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                            \
        READ_MODE(flags, flags)                                                                                                  \
        bpor_opening_use(AT_FDCWD, path, bpor_opening_access(flags), CALL_SITE);                                                 \
        bpor_changes_open(AT_FDCWD, path, flags);                                                                                \
        path = bpor_kernel_path(path);                                                                                           \
        return REAL(name)(path, flags, mode);                                                                                    \
    }
#define OPENAT_CALL(name)                                                                                                        \
    INTERCEPT int name(int directory, const char *path, int flags, ...)                                                          \
    {                                                                                                                            \
        READ_MODE(flags, flags)                                                                                                  \
        bpor_opening_use(directory, path, bpor_opening_access(flags), CALL_SITE);                                                \
        bpor_changes_open(directory, path, flags);                                                                               \
        path = bpor_kernel_path(path);                                                                                           \
        return REAL(name)(directory, path, flags, mode);                                                                         \
    }

#define CREATE_CALL(name)                                                                                                        \
    INTERCEPT int name(const char *path, mode_t mode)                                                                            \
    {                                                                                                                            \
        bpor_opening_use(AT_FDCWD, path, LOOKS | CHANGES, CALL_SITE);                                                            \
        bpor_changes_file(AT_FDCWD, path);                                                                                       \
        return REAL(name)(path, mode);                                                                                           \
    }

OPEN_CALL(open)
OPEN_CALL(open64)
OPENAT_CALL(openat)
OPENAT_CALL(openat64)

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);
FORTIFIED_CALL(__open_2, (const char *path, int flags), (path, flags), AT_FDCWD)
FORTIFIED_CALL(__open64_2, (const char *path, int flags), (path, flags), AT_FDCWD)
FORTIFIED_CALL(__openat_2, (int directory, const char *path, int flags), (directory, path, flags), directory)
FORTIFIED_CALL(__openat64_2, (int directory, const char *path, int flags), (directory, path, flags), directory)
CREATE_CALL(creat)
CREATE_CALL(creat64)

INTERCEPT DIR *opendir(const char *path)
{
    bpor_opening_use(AT_FDCWD, path, LOOKS, CALL_SITE);
    bpor_asked_note(AT_FDCWD, path, ASKED_TO_LIST);
    return REAL(opendir)(bpor_kernel_path(path));
}

/* ---- names ---- */

NAME_CALL(int, unlink, (const char *path), (path), AT_FDCWD, path)
NAME_CALL(int, unlinkat, (int directory, const char *path, int flags), (directory, path, flags), directory, path)
NAME_CALL(int, remove, (const char *path), (path), AT_FDCWD, path)
NAME_CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
NAME_CALL(int, mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode), directory, path)
NAME_CALL(int, rmdir, (const char *path), (path), AT_FDCWD, path)
NAME_CALL(int, symlink, (const char *target, const char *path), (target, path), AT_FDCWD, path)
NAME_CALL(int, symlinkat, (const char *target, int directory, const char *path), (target, directory, path), directory, path)
TWO_PATHS_CALL(int, rename, (const char *from, const char *to), (from, to), AT_FDCWD, from, AT_FDCWD, to)
TWO_PATHS_CALL(int, renameat, (int old, const char *from, int new, const char *to), (old, from, new, to), old, from, new, to)
TWO_PATHS_CALL(int, renameat2, (int old, const char *from, int new, const char *to, unsigned flags), (old, from, new, to, flags),
               old, from, new, to)
TWO_PATHS_CALL(int, link, (const char *from, const char *to), (from, to), AT_FDCWD, from, AT_FDCWD, to)
TWO_PATHS_CALL(int, linkat, (int old, const char *from, int new, const char *to, int flags), (old, from, new, to, flags), old,
               from, new, to)

/* ---- what is known of a file ---- */

FACTS_CALL(int, stat, (const char *restrict path, struct stat *restrict facts), (path, facts), AT_FDCWD, path, facts,
           sizeof *facts, answer == 0 ? sizeof *facts : 0)
FACTS_CALL(int, lstat, (const char *restrict path, struct stat *restrict facts), (path, facts), AT_FDCWD, path, facts,
           sizeof *facts, answer == 0 ? sizeof *facts : 0)
FACTS_CALL(int, fstatat, (int directory, const char *restrict path, struct stat *restrict facts, int flags),
           (directory, path, facts, flags), directory, path, facts, sizeof *facts, answer == 0 ? sizeof *facts : 0)
FACTS_CALL(int, stat64, (const char *restrict path, struct stat64 *restrict facts), (path, facts), AT_FDCWD, path, facts,
           sizeof *facts, answer == 0 ? sizeof *facts : 0)
FACTS_CALL(int, lstat64, (const char *restrict path, struct stat64 *restrict facts), (path, facts), AT_FDCWD, path, facts,
           sizeof *facts, answer == 0 ? sizeof *facts : 0)
FACTS_CALL(int, fstatat64, (int directory, const char *restrict path, struct stat64 *restrict facts, int flags),
           (directory, path, facts, flags), directory, path, facts, sizeof *facts, answer == 0 ? sizeof *facts : 0)
FACTS_CALL(int, statx, (int directory, const char *restrict path, int flags, unsigned mask, struct statx *restrict facts),
           (directory, path, flags, mask, facts), directory, path, facts, sizeof *facts, answer == 0 ? sizeof *facts : 0)
PATH_CALL(int, access, (const char *path, int mode), (path, mode), AT_FDCWD, path, LOOKS)
PATH_CALL(int, eaccess, (const char *path, int mode), (path, mode), AT_FDCWD, path, LOOKS)
PATH_CALL(int, euidaccess, (const char *path, int mode), (path, mode), AT_FDCWD, path, LOOKS)
PATH_CALL(int, faccessat, (int directory, const char *path, int mode, int flags), (directory, path, mode, flags), directory, path,
          LOOKS)
FACTS_CALL(ssize_t, readlink, (const char *restrict path, char *restrict text, size_t room), (path, text, room), AT_FDCWD, path,
           text, room, answer)
FACTS_CALL(ssize_t, readlinkat, (int directory, const char *restrict path, char *restrict text, size_t room),
           (directory, path, text, room), directory, path, text, room, answer)

/* So much it will write: what others have beside a text that is shorter than PATH_MAX is not touched. */
static size_t resolved_bytes(const char *path)
{
    char text[PATH_MAX];
    return REAL(realpath)(path, text) ? strlen(text) + 1 : 0;
}

FACTS_CALL(char *, realpath, (const char *restrict path, char *restrict to), (path, to), AT_FDCWD, path, to,
           bpor_listens(site) ? resolved_bytes(path) : 0, answer ? strlen(answer) + 1 : 0)
FILE_CALL(int, truncate, (const char *path, off_t length), (path, length), AT_FDCWD, path, CHANGES)
FILE_CALL(int, truncate64, (const char *path, off64_t length), (path, length), AT_FDCWD, path, CHANGES)
FILE_CALL(int, chmod, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path, CHANGES)
FILE_CALL(int, utime, (const char *path, const struct utimbuf *times), (path, times), AT_FDCWD, path, CHANGES)
FILE_CALL(int, utimes, (const char *path, const struct timeval times[2]), (path, times), AT_FDCWD, path, CHANGES)
FILE_CALL(int, utimensat, (int directory, const char *path, const struct timespec times[2], int flags),
          (directory, path, times, flags), directory, path, CHANGES)

/* ---- the working directory ---- */

#define DIRECTORY_CALL(result, name, parameters, arguments, access)                                                              \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_state_use(STATE_DIRECTORY, access, CALL_SITE);                                                                      \
        return REAL(name) arguments;                                                                                             \
    }

DIRECTORY_CALL(int, fchdir, (int fd), (fd), LOOKS | CHANGES)

INTERCEPT int chdir(const char *path)
{
    bpor_told_text(path, CALL_SITE);
    bpor_state_use(STATE_DIRECTORY, LOOKS | CHANGES, CALL_SITE);
    return REAL(chdir)(path);
}

INTERCEPT char *getcwd(char *to, size_t room)
{
    bpor_state_use(STATE_DIRECTORY, LOOKS, CALL_SITE);
    bpor_told_room(to, room, CALL_SITE);
    char *answer = REAL(getcwd)(to, room);
    bpor_told_write(to, answer ? (ssize_t)strlen(answer) + 1 : 0, CALL_SITE);
    return answer;
}
