/* Calls that look through directories by themselves, and those that make up names of files. What libc asks the kernel meanwhile
 * is not followed: each is one step, and the verdict says so of those that take several looks. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/state_call.h"
#include "intercept/told.h"
#include "process/asked.h"
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int filter(const struct dirent *entry);
typedef int filter64(const struct dirent64 *entry);
typedef int order(const struct dirent **one, const struct dirent **other);
typedef int order64(const struct dirent64 **one, const struct dirent64 **other);

#define LIST_CALL(name, parameters, arguments, directory)                                                                        \
    INTERCEPT int name parameters                                                                                                \
    {                                                                                                                            \
        bpor_asked_note(directory, path, ASKED_TO_LIST);                                                                         \
        bpor_path_use(directory, path, LOOKS, CALL_SITE);                                                                        \
        bpor_told_fill(list, sizeof *list, CALL_SITE);                                                                           \
        return REAL(name) arguments;                                                                                             \
    }
#define WALK_CALL(result, name, parameters, arguments, ...)                                                                      \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        bpor_walk_use(#name " sees all files at one moment", site);                                                              \
        __VA_ARGS__;                                                                                                             \
        return REAL(name) arguments;                                                                                             \
    }
#define READS_PATTERN(text) bpor_asked_pattern(text, flags), bpor_told_text(text, site)
#define READS_BELOW(path) bpor_asked_below(path), bpor_told_text(path, site)

LIST_CALL(scandir, (const char *path, struct dirent ***list, filter *wanted, order *before), (path, list, wanted, before),
          AT_FDCWD)
LIST_CALL(scandir64, (const char *path, struct dirent64 ***list, filter64 *wanted, order64 *before), (path, list, wanted, before),
          AT_FDCWD)
LIST_CALL(scandirat, (int directory, const char *path, struct dirent ***list, filter *wanted, order *before),
          (directory, path, list, wanted, before), directory)
LIST_CALL(scandirat64, (int directory, const char *path, struct dirent64 ***list, filter64 *wanted, order64 *before),
          (directory, path, list, wanted, before), directory)
WALK_CALL(int, glob, (const char *restrict text, int flags, int (*failed)(const char *, int), glob_t *restrict found),
          (text, flags, failed, found), READS_PATTERN(text), bpor_told_fill(found, sizeof *found, site))
WALK_CALL(int, glob64, (const char *restrict text, int flags, int (*failed)(const char *, int), glob64_t *restrict found),
          (text, flags, failed, found), READS_PATTERN(text), bpor_told_fill(found, sizeof *found, site))
WALK_CALL(int, ftw, (const char *path, __ftw_func_t each, int most), (path, each, most), READS_BELOW(path))
WALK_CALL(int, ftw64, (const char *path, __ftw64_func_t each, int most), (path, each, most), READS_BELOW(path))
WALK_CALL(int, nftw, (const char *path, __nftw_func_t each, int most, int flags), (path, each, most, flags), READS_BELOW(path))
WALK_CALL(int, nftw64, (const char *path, __nftw64_func_t each, int most, int flags), (path, each, most, flags),
          READS_BELOW(path))
WALK_CALL(FTSENT *, fts_read, (FTS * walk), (walk), bpor_asked_unknown())
WALK_CALL(FTSENT *, fts_children, (FTS * walk, int options), (walk, options), bpor_asked_unknown())

/* ---- names that nobody has yet ---- */

INTERCEPT char *tmpnam(char room[L_tmpnam])
{
    const void *site = CALL_SITE;
    bpor_walk_use("tmpnam sees all files at one moment", site);
    bpor_told_fill(room, L_tmpnam, site);
    if (room == NULL)
        bpor_state_use(STATE_STATICS, LOOKS | CHANGES, site);
    char *name = REAL(tmpnam)(room);
    if (room == NULL)
        bpor_state_use(STATE_STATICS, LOOKS, site);
    return name;
}

WALK_CALL(char *, tempnam, (const char *directory, const char *prefix), (directory, prefix), bpor_told_text(directory, site),
          bpor_told_text(prefix, site))
WALK_CALL(char *, mktemp, (char *path), (path), bpor_told_fill(path, strlen(path), site))
