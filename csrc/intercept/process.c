/* The functions that end or duplicate a process: exit, _exit, abort, assert, fork and its variants. */
#define _GNU_SOURCE
#include "intercept/syscall.h"
#include "process/family.h"
#include "process/imports.h"
#include "runtime/alarm.h"
#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/start.h"
#include "runtime/sys.h"
#include <assert.h>
#include <dlfcn.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of each thread: several may be on their way out at once. */
static int exit_status[BPOR_MAX_THREADS];

static int *own_exit_status(void)
{
    return &exit_status[bpor_self ? bpor_self->id : 0];
}

void bpor_exit_status(int status)
{
    *own_exit_status() = status;
}

static bool functions_done;

bool bpor_exit_functions_done(void)
{
    return functions_done;
}

void bpor_finish_process(void)
{
    functions_done = true;
    fflush(NULL);
    bpor_process_end(*own_exit_status(), NULL);
}

INTERCEPT void exit(int status)
{
    bpor_exit_status(status);
    bpor_exit_begins(CALL_SITE);
    REAL(exit)(status);
    __builtin_unreachable();
}

INTERCEPT void _exit(int status)
{
    if (bpor_controlled())
        bpor_process_end(status, CALL_SITE);
    sys_exit_group(status);
}

INTERCEPT void _Exit(int status)
{
    if (bpor_controlled())
        bpor_process_end(status, CALL_SITE);
    sys_exit_group(status);
}

static void last_quick_exit_handler(void)
{
    functions_done = true;
    if (bpor_controlled())
        bpor_process_end(*own_exit_status(), NULL);
}

INTERCEPT void quick_exit(int status)
{
    bpor_exit_status(status);
    bpor_exit_begins(CALL_SITE);
    REAL(quick_exit)(status);
    __builtin_unreachable();
}

__attribute__((constructor(102))) static void register_quick_exit(void)
{
    unsigned needed = !bpor_family_is_watched() ? 0 : bpor_imports_exit() ? BPOR_THREADS_AT_EXIT : 1;
    for (unsigned i = 0; i < needed; i++)
        at_quick_exit(last_quick_exit_handler); /* registered first: runs last */
}

INTERCEPT void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    if (!bpor_controlled())
        REAL(__assert_fail)(assertion, file, line, function);
    bpor_self->shielded = true;
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
    struct bpor_end *end = &bpor->shared->end;
    snprintf(end->message, sizeof end->message, "%s:%u: %s: %s", file, line, function, assertion);
    bpor_end_with_stack(BPOR_OUTCOME_ASSERTION, 0, end->message);
}

static bool called_from_libstdcxx(const void *site)
{
    Dl_info info;
    return dladdr(site, &info) && info.dli_fname && strstr(info.dli_fname, "libstdc++");
}

/* std::terminate ends in abort; the caller tells them apart. The library has printed what was thrown. */
INTERCEPT void abort(void)
{
    if (!bpor_controlled())
        REAL(abort)();
    bpor_self->shielded = true;
    fflush(NULL);
    if (called_from_libstdcxx(CALL_SITE))
        bpor_end_with_stack(BPOR_OUTCOME_TERMINATE, SIGABRT, "std::terminate");
    bpor_self->shielded = false;
    raise(SIGABRT); /* the program may have a handler of its own; without one this is a crash */
    bpor_end_with_stack(BPOR_OUTCOME_CRASH, SIGABRT, "SIGABRT");
}

static bool other_threads_live(void)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (&bpor->thread[i] != bpor_self && bpor->thread[i].state != THREAD_FINISHED)
            return true;
    return false;
}

static void refuse_copy_beside_threads(const char *call)
{
    if (bpor_controlled() && other_threads_live())
        bpor_refuse(call, "with other threads alive, the copy cannot be controlled; make it before the threads start");
}

/* Before the fork point, too: else the copy would become a second template with its first thread. */
static pid_t fork_alone(const char *call, pid_t (*really)(void))
{
    refuse_copy_beside_threads(call);
    pid_t pid = really();
    if (pid == 0) {
        bpor_alarm_forget();
        bpor_family_copied();
    } else {
        bpor_family_shares_channels();
    }
    return pid;
}

INTERCEPT pid_t fork(void)
{
    return fork_alone("fork", REAL(fork));
}

/* A plain fork: the parent of a vfork would wait for a child that shares our memory. */
INTERCEPT pid_t vfork(void)
{
    return fork_alone("vfork", REAL(fork));
}

INTERCEPT pid_t _Fork(void)
{
    return fork_alone("_Fork", REAL(_Fork));
}

/* libc forks in these two by itself, and tells us as it tells everybody (pthread_atfork). */
INTERCEPT int daemon(int keep_directory, int keep_output)
{
    refuse_copy_beside_threads("daemon");
    return REAL(daemon)(keep_directory, keep_output);
}

INTERCEPT int forkpty(int *terminal, char *name, const struct termios *mode, const struct winsize *size)
{
    refuse_copy_beside_threads("forkpty");
    return REAL(forkpty)(terminal, name, mode, size);
}

#define NO_CLONE "a thread made by a bare clone cannot be controlled; use pthread_create"

/* With CLONE_VM, clone makes a thread that we cannot control, or a child that uses our memory until it executes another program.
 * Without CLONE_VM it is a fork with extras. */
static void refuse_clone(const char *call, uint64_t flags)
{
    if (!(flags & CLONE_VM))
        refuse_copy_beside_threads(call);
    else if (bpor_controlled())
        bpor_refuse(call, NO_CLONE);
    else if (bpor_family_is_watched() && !(flags & CLONE_VFORK))
        bpor_family_unseen("makes a thread by a bare clone");
}

struct beginning {
    int (*function)(void *);
    void *argument;
};

static int begin_copy(void *data)
{
    const struct beginning *beginning = data;
    bpor_family_copied();
    return beginning->function(beginning->argument);
}

INTERCEPT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    va_list rest;
    va_start(rest, argument);
    pid_t *parent = va_arg(rest, pid_t *);
    void *storage = va_arg(rest, void *);
    pid_t *child = va_arg(rest, pid_t *);
    va_end(rest);
    struct beginning beginning = {function, argument};
    refuse_clone("clone", (unsigned)flags);
    if (flags & CLONE_VM)
        return REAL(clone)(function, stack, flags, argument, parent, storage, child);
    bpor_family_shares_channels();
    return REAL(clone)(begin_copy, stack, flags, &beginning, parent, storage, child);
}

bool bpor_copy_by_number(long number, const long a[6], long *answer)
{
    switch (number) {
    case SYS_fork:
    case SYS_vfork:
        refuse_copy_beside_threads(number == SYS_fork ? "syscall(SYS_fork)" : "syscall(SYS_vfork)");
        *answer = REAL(syscall)(SYS_fork);
        break;
    case SYS_clone:
        refuse_clone("syscall(SYS_clone)", (uint64_t)a[0]);
        *answer = REAL(syscall)(SYS_clone, a[0], a[1], a[2], a[3], a[4]);
        break;
    case SYS_clone3:
        refuse_clone("syscall(SYS_clone3)", a[0] ? *(const uint64_t *)a[0] : CLONE_VM);
        *answer = REAL(syscall)(SYS_clone3, a[0], a[1]);
        break;
    case SYS_execve:
        *answer = execve((const char *)a[0], (char *const *)a[1], (char *const *)a[2]);
        return true;
    case SYS_execveat:
        *answer = execveat((int)a[0], (const char *)a[1], (char *const *)a[2], (char *const *)a[3], (int)a[4]);
        return true;
    default:
        return false;
    }
    if (*answer == 0)
        bpor_family_copied();
    else
        bpor_family_shares_channels();
    return true;
}
