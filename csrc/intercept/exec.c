/* Programs that a process starts or becomes by exec: the runtime is preloaded into them whatever environment they are given, so
 * that threads of theirs cannot go unnoticed. */
#define _GNU_SOURCE
#include "model/channel.h"
#include "process/family.h"
#include "process/process_state.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

/* A block with a letter, its row and the environment to use for a call that starts `name`. */
#define WITH_LETTER(name, given)                                                                                                 \
    int row = bpor_family_start(name);                                                                                           \
    struct bpor_letter letter;                                                                                                   \
    char *room[bpor_family_room(given)];                                                                                         \
    char **ours = bpor_family_environment(given, row, room, &letter)

/* A call that returns only if nothing was started. */
#define BECOME(name, given, plain, call)                                                                                         \
    do {                                                                                                                         \
        if (!bpor_family_is_watched())                                                                                           \
            return plain;                                                                                                        \
        WITH_LETTER(name, given);                                                                                                \
        bpor_family_becomes(true);                                                                                               \
        call;                                                                                                                    \
        bpor_family_becomes(false);                                                                                              \
        bpor_family_not_started(row);                                                                                            \
        return -1;                                                                                                               \
    } while (0)

INTERCEPT int execve(const char *path, char *const arguments[], char *const environment[])
{
    BECOME(path, environment, REAL(execve)(path, arguments, environment), REAL(execve)(path, arguments, ours));
}

INTERCEPT int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

INTERCEPT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    BECOME(file, environment, REAL(execvpe)(file, arguments, environment), REAL(execvpe)(file, arguments, ours));
}

INTERCEPT int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

INTERCEPT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    BECOME(arguments[0], environment, REAL(fexecve)(fd, arguments, environment), REAL(fexecve)(fd, arguments, ours));
}

int execveat(int directory, const char *path, char *const arguments[], char *const environment[], int flags);

INTERCEPT int execveat(int directory, const char *path, char *const arguments[], char *const environment[], int flags)
{
    if (REAL(execveat) == NULL) { /* before glibc 2.34 */
        errno = ENOSYS;
        return -1;
    }
    BECOME(*path ? path : arguments[0], environment, REAL(execveat)(directory, path, arguments, environment, flags),
           REAL(execveat)(directory, path, arguments, ours, flags));
}

static size_t count_words(va_list words)
{
    size_t count = 1;
    while (va_arg(words, char *))
        count++;
    return count;
}

static void take_words(va_list words, const char *first, char **arguments)
{
    *arguments = (char *)first;
    while (*arguments)
        *++arguments = va_arg(words, char *);
}

/* Arguments as words, the last one NULL; `arguments` is an array of them, `words` stands behind that NULL. */
#define GATHER_WORDS(first)                                                                                                      \
    va_list words;                                                                                                               \
    va_start(words, first);                                                                                                      \
    size_t count = count_words(words);                                                                                           \
    va_end(words);                                                                                                               \
    char *arguments[count + 1];                                                                                                  \
    va_start(words, first);                                                                                                      \
    take_words(words, first, arguments)

INTERCEPT int execl(const char *path, const char *first, ...)
{
    GATHER_WORDS(first);
    va_end(words);
    return execve(path, arguments, environ);
}

INTERCEPT int execlp(const char *file, const char *first, ...)
{
    GATHER_WORDS(first);
    va_end(words);
    return execvpe(file, arguments, environ);
}

INTERCEPT int execle(const char *path, const char *first, ...)
{
    GATHER_WORDS(first);
    char *const *environment = va_arg(words, char *const *);
    va_end(words);
    return execve(path, arguments, environment);
}

/* A program that is started begins in the working directory and with the environment as they are now. What it does is no step. */
static void child_begins(const void *site)
{
    bpor_state_use(STATE_DIRECTORY, LOOKS, site);
    bpor_state_use(STATE_ENVIRONMENT, LOOKS, site);
}

/* A program started beside this one gets the ends it was given, and nobody can say what it will do with them. */
#define SPAWN(name, first_type)                                                                                                  \
    INTERCEPT int name(first_type process, const char *file, const posix_spawn_file_actions_t *actions,                          \
                       const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])                  \
    {                                                                                                                            \
        child_begins(CALL_SITE);                                                                                                 \
        bpor_family_shares_channels();                                                                                           \
        if (REAL(name) == NULL)                                                                                                  \
            return ENOSYS;                                                                                                       \
        if (!bpor_family_is_watched())                                                                                           \
            return REAL(name)(process, file, actions, attributes, arguments, environment);                                       \
        WITH_LETTER(file, environment);                                                                                          \
        int error = REAL(name)(process, file, actions, attributes, arguments, ours);                                             \
        if (error)                                                                                                               \
            bpor_family_not_started(row);                                                                                        \
        return error;                                                                                                            \
    }

typedef int spawn(int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                  char *const[]);
spawn pidfd_spawn, pidfd_spawnp; /* since glibc 2.39 */
SPAWN(posix_spawn, pid_t *)
SPAWN(posix_spawnp, pid_t *)
SPAWN(pidfd_spawn, int *)
SPAWN(pidfd_spawnp, int *)

/* These start a shell with the environment that there is: for the time of the call it is ours. */
#define WITH_ENVIRONMENT(type, call)                                                                                             \
    char **before = environ;                                                                                                     \
    environ = ours;                                                                                                              \
    type result = call;                                                                                                          \
    if (environ == ours)                                                                                                         \
    environ = before

INTERCEPT int system(const char *command)
{
    child_begins(CALL_SITE);
    if (!bpor_family_is_watched())
        return REAL(system)(command);
    bpor_family_shares_channels();
    WITH_LETTER(command ? command : "sh", environ);
    WITH_ENVIRONMENT(int, REAL(system)(command));
    if (result == -1)
        bpor_family_not_started(row);
    return result;
}

static FILE *popen_with_us(const char *command, const char *mode)
{
    if (!bpor_family_is_watched())
        return REAL(popen)(command, mode);
    bpor_family_shares_channels();
    WITH_LETTER(command, environ);
    WITH_ENVIRONMENT(FILE *, REAL(popen)(command, mode));
    if (result == NULL)
        bpor_family_not_started(row);
    return result;
}

/* The other end is a process that ends by itself; its output is read for real. */
INTERCEPT FILE *popen(const char *command, const char *mode)
{
    child_begins(CALL_SITE);
    FILE *stream = popen_with_us(command, mode);
    if (stream && bpor_controlled())
        bpor_descriptor_belongs_to_child(fileno(stream));
    return stream;
}

/* Starts a shell for $(command) only. */
INTERCEPT int wordexp(const char *restrict text, wordexp_t *restrict words, int flags)
{
    if (!bpor_family_is_watched() || (strchr(text, '`') == NULL && strstr(text, "$(") == NULL))
        return REAL(wordexp)(text, words, flags);
    WITH_LETTER(text, environ);
    bpor_family_not_started(
        row); /* whether it starts anything is not known before; the shell itself takes rows for what it starts */
    WITH_ENVIRONMENT(int, REAL(wordexp)(text, words, flags));
    return result;
}
