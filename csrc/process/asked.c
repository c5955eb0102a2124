/* A line is a sign (asked_how) and an absolute path. One path may have several. */
#define _GNU_SOURCE
#include "process/asked.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE = 2 * PATH_MAX + 2 };
static char *line; /* that is put together */

void bpor_asked_reserve(void)
{
    line = bpor_reserve(LINE);
}

static bool is_asked(size_t length)
{
    for (const char *at = bpor->shared->asked; (at = strstr(at, line)); at++)
        if (at[length] == '\n' && (at == bpor->shared->asked || at[-1] == '\n'))
            return true;
    return false;
}

static void list_line(void)
{
    char *text = bpor->shared->asked;
    size_t used = strlen(text), length = strlen(line);
    if (is_asked(length))
        return;
    if (used + length + 2 > sizeof bpor->shared->asked || strchr(line, '\n')) {
        bpor->shared->asked_more = 1;
        return;
    }
    memcpy(text + used, line, length);
    memcpy(text + used + length, "\n", 2);
}

/* What a path that does not begin at the root begins at. False: nobody knows. */
static bool put_base(int directory, char *to, size_t room)
{
    char link[32];
    if (directory == AT_FDCWD)
        return sys_call3(SYS_getcwd, to, (long)room, 0) > 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    long bytes = sys_call3(SYS_readlink, link, to, (long)room - 1);
    if (bytes <= 0)
        return false;
    to[bytes] = '\0';
    return true;
}

static bool is_below(const char *path, const char *directory)
{
    return strncmp(path, directory, strlen(directory)) == 0;
}

/* What it says is of a machine, and changes while nobody looks. */
static bool is_of_the_kernel(const char *path)
{
    return is_below(path, "/proc/") || is_below(path, "/sys/") || (is_below(path, "/dev/") && !is_below(path, "/dev/shm/"));
}

/* The same on all machines: of the process itself, or without a content. */
static bool is_everywhere(const char *path)
{
    static const char *const names[] = {"/proc/self/", "/proc/thread-self/", "/dev/null",   "/dev/zero", "/dev/full",
                                        "/dev/random", "/dev/urandom",       "/dev/tty",    "/dev/ptmx", "/dev/pts/",
                                        "/dev/stdin",  "/dev/stdout",        "/dev/stderr", "/dev/fd/"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (is_below(path, names[i]))
            return true;
    return false;
}

static bool is_there(const char *path)
{
    struct stat facts;
    return sys_call4(SYS_newfstatat, AT_FDCWD, path, &facts, AT_SYMLINK_NOFOLLOW) == 0;
}

void bpor_asked_note(int directory, const char *path, enum asked_how how)
{
    if (!line || !bpor || !bpor->shared->config.asks || !path || !path[0] || strlen(path) >= PATH_MAX)
        return;
    if (is_of_the_kernel(path)) {
        bpor->shared->asked_more |= !is_everywhere(path);
        return;
    }
    line[0] = (char)how;
    line[1] = '\0';
    if (path[0] != '/' && how != ASKED_TO_LOAD) {
        if (!put_base(directory, line + 1, PATH_MAX)) {
            bpor->shared->asked_more = 1;
            return;
        }
        strcat(line, "/");
        if (how == ASKED_TO_MATCH && strpbrk(line + 1, "*?["))
            bpor->shared->asked_more = 1; /* it would be taken for a part of the pattern */
    }
    strcat(line, path);
    if (how == ASKED_WHETHER && !is_there(line + 1))
        line[0] = ASKED_IN_VAIN;
    list_line();
}

void bpor_asked_unknown(void)
{
    if (bpor)
        bpor->shared->asked_more = 1;
}

void bpor_asked_pattern(const char *pattern, int flags)
{
    if (flags & (GLOB_BRACE | GLOB_TILDE | GLOB_TILDE_CHECK | GLOB_PERIOD | GLOB_ALTDIRFUNC))
        bpor_asked_unknown();
    bpor_asked_note(AT_FDCWD, pattern, ASKED_TO_MATCH);
}

void bpor_asked_below(const char *path)
{
    char pattern[PATH_MAX + 4];
    if (path && snprintf(pattern, sizeof pattern, "%s/**", path) < PATH_MAX)
        bpor_asked_note(AT_FDCWD, pattern, ASKED_TO_MATCH);
    else
        bpor_asked_unknown();
}
