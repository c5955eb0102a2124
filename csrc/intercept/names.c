/* Calls that create, change or remove something with a name outside this process: what outlives an execution (reset/changes.h).
 * Those that paths.c watches too report it there. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/told.h"
#include "process/asked.h"
#include "reset/changes.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_CALL(result, name, parameters, arguments, directory, path)                                                          \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_path_use(directory, path, CHANGES, CALL_SITE);                                                                      \
        bpor_changes_file(directory, path);                                                                                      \
        return REAL(name) arguments;                                                                                             \
    }
#define NAME_CALL(result, name, parameters, arguments, directory, path)                                                          \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_path_use(directory, path, LOOKS | CHANGES, CALL_SITE);                                                              \
        bpor_changes_name(directory, path);                                                                                      \
        return REAL(name) arguments;                                                                                             \
    }
/* The name is known when it is there. */
static void made_temporary(const char *path)
{
    bpor_asked_note(AT_FDCWD, path, ASKED_TO_MAKE);
    bpor_changes_made(path);
}

#define TEMPORARY_CALL(name, parameters, arguments)                                                                              \
    INTERCEPT int name parameters                                                                                                \
    {                                                                                                                            \
        bpor_path_use(AT_FDCWD, path, CHANGES, CALL_SITE);                                                                       \
        bpor_told_fill(path, strlen(path), CALL_SITE);                                                                           \
        bpor_number_given(CALL_SITE);                                                                                            \
        int made = REAL(name) arguments;                                                                                         \
        if (made >= 0)                                                                                                           \
            made_temporary(path);                                                                                                \
        return made;                                                                                                             \
    }

TEMPORARY_CALL(mkstemp, (char *path), (path))
TEMPORARY_CALL(mkstemp64, (char *path), (path))
TEMPORARY_CALL(mkostemp, (char *path, int flags), (path, flags))
TEMPORARY_CALL(mkostemp64, (char *path, int flags), (path, flags))
TEMPORARY_CALL(mkstemps, (char *path, int suffix), (path, suffix))
TEMPORARY_CALL(mkstemps64, (char *path, int suffix), (path, suffix))
TEMPORARY_CALL(mkostemps, (char *path, int suffix, int flags), (path, suffix, flags))
TEMPORARY_CALL(mkostemps64, (char *path, int suffix, int flags), (path, suffix, flags))

INTERCEPT char *mkdtemp(char *path)
{
    bpor_path_use(AT_FDCWD, path, CHANGES, CALL_SITE);
    bpor_told_fill(path, strlen(path), CALL_SITE);
    char *made = REAL(mkdtemp)(path);
    if (made)
        made_temporary(made);
    return made;
}

NAME_CALL(int, mkfifo, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
NAME_CALL(int, mkfifoat, (int directory, const char *path, mode_t mode), (directory, path, mode), directory, path)
NAME_CALL(int, mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device), AT_FDCWD, path)
NAME_CALL(int, mknodat, (int directory, const char *path, mode_t mode, dev_t device), (directory, path, mode, device), directory,
          path)
NAME_CALL(int, lchown, (const char *path, uid_t user, gid_t group), (path, user, group), AT_FDCWD, path)
FILE_CALL(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group), AT_FDCWD, path)
FILE_CALL(int, fchownat, (int directory, const char *path, uid_t user, gid_t group, int flags),
          (directory, path, user, group, flags), directory, path)
FILE_CALL(int, fchmodat, (int directory, const char *path, mode_t mode, int flags), (directory, path, mode, flags), directory,
          path)

INTERCEPT FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
    bpor_asked_note(AT_FDCWD, path, mode[0] == 'w' ? ASKED_TO_MAKE : ASKED_FOR);
    bpor_changes_stream(path, mode);
    return REAL(freopen)(bpor_kernel_path(path), mode, stream);
}

INTERCEPT FILE *freopen64(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
    bpor_asked_note(AT_FDCWD, path, mode[0] == 'w' ? ASKED_TO_MAKE : ASKED_FOR);
    bpor_changes_stream(path, mode);
    return REAL(freopen64)(bpor_kernel_path(path), mode, stream);
}

/* ---- shared memory by name; sockets: sockets.c ---- */

static const char *where_shared_memory_is(const char *name, char *path)
{
    snprintf(path, PATH_MAX, "/dev/shm/%s", name + strspn(name, "/"));
    return path;
}

INTERCEPT int shm_open(const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    bpor_opening_use(AT_FDCWD, where_shared_memory_is(name, path), bpor_opening_access(flags), CALL_SITE);
    bpor_changes_open(AT_FDCWD, path, flags);
    return REAL(shm_open)(name, flags, mode);
}

INTERCEPT int shm_unlink(const char *name)
{
    char path[PATH_MAX];
    bpor_path_use(AT_FDCWD, where_shared_memory_is(name, path), LOOKS | CHANGES, CALL_SITE);
    bpor_changes_name(AT_FDCWD, path);
    return REAL(shm_unlink)(name);
}

/* The template removes what this execution makes; with what was there before, executions would write into each other's. */
INTERCEPT int shmget(key_t key, size_t bytes, int flags)
{
    int segment = REAL(shmget)(key, bytes, flags);
    struct shmid_ds facts;
    if (!bpor_controlled() || segment < 0)
        return segment;
    bpor->shared->segments = 1;
    if (sys_call3(SYS_shmctl, segment, IPC_STAT, &facts) == 0 && facts.shm_cpid != sys_getpid() &&
        facts.shm_cpid != (pid_t)sys_call3(SYS_getppid, 0, 0, 0))
        bpor_refuse("shmget", "the memory was there before the program, and every execution would find what the last one wrote; "
                              "remove it first, or use IPC_PRIVATE");
    return segment;
}
