/* Processes that an execution left behind. The process that waits for executions is their reaper (PR_SET_CHILD_SUBREAPER): an
 * orphan, even a daemon, becomes its child. The template and the launcher use this; it makes system calls only. */
#ifndef BPOR_DESCENDANTS_H
#define BPOR_DESCENDANTS_H
#include "protocol/protocol.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static inline long read_whole(const char *path, char *text, size_t bytes)
{
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    long got = fd < 0 ? fd : sys_read(fd, text, bytes - 1);
    if (fd >= 0)
        sys_call3(SYS_close, fd, 0, 0);
    text[got > 0 ? got : 0] = '\0';
    return got;
}

static inline void descendants_adopt(void)
{
    sys_call3(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0);
}

static inline void descendants_list(char *numbers, size_t bytes)
{
    read_whole("/proc/thread-self/children", numbers, bytes);
}

/* Kills them all; those of a dead one come to us. */
static inline void descendants_kill(void)
{
    char numbers[4096];
    for (;;) {
        descendants_list(numbers, sizeof numbers);
        char *at = numbers;
        long pid;
        bool any = false;
        while ((pid = strtol(at, &at, 10)) > 0) {
            sys_call3(SYS_kill, pid, SIGKILL, 0);
            any = true;
        }
        if (!any || sys_call4(SYS_wait4, -1, 0, __WALL, 0) == -ECHILD)
            return;
    }
}

/* One of those that still run, for a message. */
static inline void descendants_name(char *name, size_t bytes)
{
    char numbers[4096], path[64], comm[64];
    descendants_list(numbers, sizeof numbers);
    long pid = strtol(numbers, NULL, 10);
    snprintf(path, sizeof path, "/proc/%ld/comm", pid);
    read_whole(path, comm, sizeof comm);
    comm[strcspn(comm, "\n")] = '\0';
    snprintf(name, bytes, "%s[%ld]", comm, pid);
}

/* A program in which the runtime never showed itself, or NULL. All processes have ended. */
static inline const char *program_out_of_sight(const struct bpor_shared *shared)
{
    for (unsigned i = 0; i < BPOR_STARTED; i++)
        if (shared->started[i].taken)
            return shared->started[i].name;
    return shared->started_unseen ? "one of many programs" : NULL;
}

static inline bool stranger_is_there(const struct bpor_shared *shared)
{
    return __atomic_load_n(&shared->stranger.state, __ATOMIC_ACQUIRE) == BPOR_STRANGER_THERE;
}

static inline void say_out_of_sight(char *message, size_t bytes, const char *program)
{
    snprintf(
        message, bytes,
        "%.120s: started by the program, ran out of our sight (is it static, 32-bit, set-user-id or linked with another libc?);"
        " whether it makes threads is not known",
        program);
}

static inline void say_stranger(char *message, size_t bytes, const struct bpor_shared *shared)
{
    const struct bpor_stranger *stranger = &shared->stranger;
    if (stranger->kind == BPOR_STRANGER_UNSEEN)
        snprintf(message, bytes, "%s: %s, which cannot be controlled; use pthread_create", stranger->name, stranger->deed);
    else if (stranger->kind == BPOR_STRANGER_FAILS)
        snprintf(message, bytes, "%s, %s", stranger->name, stranger->deed);
    else if (shared->became)
        snprintf(message, bytes, "%s %s", shared->turns.active_name[0] ? shared->turns.active_name : shared->claimed_name,
                 BPOR_BECAME);
    else
        snprintf(
            message, bytes,
            "two processes make threads: %s and %s; one can be controlled: let the test run in one process, or let one process"
            " end before another makes threads",
            shared->turns.active_name[0] ? shared->turns.active_name : shared->claimed_name, stranger->name);
}

static inline void say_outlives(char *message, size_t bytes, unsigned milliseconds)
{
    char name[128];
    descendants_name(name, sizeof name);
    snprintf(message, bytes,
             "%s: started by the program, still ran %u.%u s after its end, and might yet make threads; wait for it or end it"
             " in the test (--watchdog waits longer)",
             name, milliseconds / 1000, milliseconds / 100 % 10);
}
#endif
