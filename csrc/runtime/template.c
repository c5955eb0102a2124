/* The template: waits at the fork point, makes one child per plan, watches it, reaps it and tells the controller.
 *
 * Being beside the child it can tell every way it may end, SIGKILL included, and nothing outlives it: children die with the
 * template, the template dies with the controller. */
#define _GNU_SOURCE
#include "runtime/template.h"
#include "intercept/linking.h"
#include "model/channel.h"
#include "python/containers.h"
#include "python/gil.h"
#include "python/locks.h"
#include "runtime/carrier.h"
#include "runtime/debugger.h"
#include "runtime/descriptors.h"
#include "runtime/imports.h"
#include "runtime/keeper.h"
#include "runtime/loaded.h"
#include "runtime/plan.h"
#include "runtime/race.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/shared_state.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100, MERCY_MS = 1000 };

static uint64_t milliseconds(void)
{
    struct timespec now;
    sys_call3(SYS_clock_gettime, CLOCK_MONOTONIC, &now, 0);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool reaped(pid_t child, int *status)
{
    return sys_call4(SYS_wait4, child, status, WNOHANG, 0) == child;
}

static bool wait_a_tick(pid_t child, int *status, const sigset_t *child_signal)
{
    struct timespec tick = {0, TICK_MS * 1000000};
    if (reaped(child, status))
        return true;
    sys_call4(SYS_rt_sigtimedwait, child_signal, 0, &tick, sizeof(uint64_t));
    return reaped(child, status);
}

static bool too_much_output(void)
{
    for (int fd = 1; fd <= 2; fd++) {
        struct stat facts;
        if (sys_call3(SYS_fstat, fd, &facts, 0) == 0 && S_ISREG(facts.st_mode) &&
            (uint64_t)facts.st_size / 1024 > bpor->shared->config.output_limit_kib)
            return true;
    }
    return false;
}

/* The watchdog asks the running thread where it is; one that cannot answer is killed all the same. */
static void stop_child(pid_t child, int *status, const sigset_t *child_signal, enum bpor_outcome outcome)
{
    uint64_t until = milliseconds() + MERCY_MS;
    if (outcome == BPOR_OUTCOME_WATCHDOG) {
        sys_call3(SYS_tgkill, child, bpor->shared->running, WATCHDOG_SIGNAL);
        while (milliseconds() < until)
            if (wait_a_tick(child, status, child_signal))
                return;
    }
    sys_call3(SYS_kill, child, SIGKILL, 0);
    while (!wait_a_tick(child, status, child_signal))
        continue;
    bpor->shared->end.steps = bpor->steps;
    bpor->shared->end.outcome = outcome;
}

static int watch(pid_t child, const sigset_t *child_signal)
{
    int status = 0;
    uint64_t seen = bpor->shared->progress, since = milliseconds();
    while (!wait_a_tick(child, &status, child_signal)) {
        uint64_t progress = __atomic_load_n(&bpor->shared->progress, __ATOMIC_ACQUIRE);
        if (progress != seen)
            seen = progress, since = milliseconds();
        else if (milliseconds() - since >= bpor->shared->config.watchdog_ms)
            return stop_child(child, &status, child_signal, BPOR_OUTCOME_WATCHDOG), status;
        if (too_much_output())
            return stop_child(child, &status, child_signal, BPOR_OUTCOME_OUTPUT_LIMIT), status;
    }
    return status;
}

void bpor_die_with(int parent)
{
    sys_call3(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0);
    if (sys_call3(SYS_getppid, 0, 0, 0) != parent)
        sys_exit_group(99);
}

/* What of the program's own state the template changes for itself. */
struct programs_own {
    sigset_t mask;
    struct sigaction child_action;
    struct control_state control;
};

/* The search must neither be stopped by a floating-point exception that the program wants to hear of, nor round its way. */
static void become_template(struct programs_own *own, const sigset_t *child_signal)
{
    struct sigaction default_action = {.sa_handler = SIG_DFL};
    REAL(sigprocmask)(SIG_BLOCK, child_signal, &own->mask);
    REAL(sigaction)(SIGCHLD, &default_action, &own->child_action);
    bpor_control_state_save(&own->control);
    bpor_control_state_default();
}

static void become_execution(const struct programs_own *own)
{
    struct control_state templates;
    bpor_control_state_save(&templates);
    bpor_control_state_load(&own->control, &templates);
    REAL(sigaction)(SIGCHLD, &own->child_action, NULL);
    REAL(sigprocmask)(SIG_SETMASK, &own->mask, NULL);
    if (bpor->shared->config.reset == BPOR_RESET_FORK)
        bpor_channels_renew();
}

static void begin_execution(void)
{
    bpor_plan_unpack();
    bpor->steps = bpor->preemptions = bpor->refused_by_bound = 0;
    bpor->hash = 1;
    bpor->last = BPOR_NO_THREAD;
    bpor->unexplored = bpor->shared->config.unexplored;
    bpor_self->kernel_id = sys_gettid();
    sys_call4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &bpor_self->signal_mask, sizeof bpor_self->signal_mask);
    bpor_self->state = THREAD_RUNNING;
    bpor->shared->child = (uint32_t)sys_getpid();
    bpor->shared->running = (uint32_t)bpor_self->kernel_id;
    bpor_signals_prepare_thread(bpor_self);
    bpor_shadow_begin();
    bpor->forked = true;
    bpor_self->shielded = false;
    bpor_gil_begin_execution();
}

/* Fibers, or kernel threads and why. */
static void choose_carrier(struct bpor_config *config)
{
    uint32_t allocations = bpor_self->allocations;
    const char *problem = bpor_fibers_prepare(config->pool);
    bpor_self->allocations = allocations; /* the pool's are not the program's: its next block has the same name without it */
    if (problem) {
        config->carrier = BPOR_CARRIER_THREADS;
        strcpy(bpor->shared->end.message, problem);
    } else {
        bpor_carrier = &bpor_fibers;
    }
}

static void prepare(void)
{
    extern char __libc_single_threaded;
    struct bpor_config *config = &bpor->shared->config;
    bpor_real_resolve_all();
    bpor_context_prepare();
    bpor_imports_look();
    bpor_loaded_note();
    bpor_record_stack(); /* the unwinder sets itself up, through pthread_once, at its first use: not in an execution */
    bpor_gil_find();
    bpor_containers_watch();
    bpor_locks_watch();
    bpor_signals_install();
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_MAX, 0); /* large blocks in the heap too, which keeps what it has: fewer effects to undo, in every mode */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    __libc_single_threaded = 0;
    if (config->temporary[0])
        setenv("TMPDIR", config->temporary, 1);
    bpor->tasks_before = (uint32_t)bpor_descriptors_tasks();
    if (config->carrier == BPOR_CARRIER_FIBERS)
        choose_carrier(config);
}

void bpor_template_hello(void)
{
    bpor_send(BPOR_MESSAGE_HELLO, (uint64_t)sys_getpid(), bpor->tasks_before);
}

void bpor_template_reset_shared(void)
{
    struct bpor_shared *shared = bpor->shared;
    memset(&shared->end, 0, offsetof(struct bpor_end, message) + 1);
    shared->batches = shared->batches_read = 0;
    shared->events = 0;
    shared->modules[0] = shared->scripts[0] = shared->unidentified[0] = '\0';
}

static void demand(enum bpor_need need, const char *why)
{
    bpor->shared->needs = need;
    strncpy(bpor->shared->end.message, why, sizeof bpor->shared->end.message - 1);
}

static bool one_execution(void)
{
    return bpor->shared->config.reset == BPOR_RESET_EXEC;
}

/* What a child of this process would share with the next one. */
static void look_at_what_is_shared(void)
{
    const char *why = one_execution() ? NULL : bpor_shared_take();
    if (why)
        demand(BPOR_NEED_EXEC, why);
}

/* A program for which no mode is right. */
static void look_at_what_no_reset_brings_back(void)
{
    const char *why = bpor_shared_timers();
    if (!why)
        why = bpor_shared_lost_by_fork();
    if (!why)
        return;
    demand(BPOR_NEED_CHANGE, why);
    bpor_template_hello();
    sys_exit_group(0);
}

static bool leads_to_file(int fd)
{
    struct stat facts;
    return sys_call3(SYS_fstat, fd, &facts, 0) == 0 && S_ISREG(facts.st_mode);
}

/* A pipe ends when the execution has closed it, and not only when we have. Of the output we look at the length. */
static void leave_alone(void)
{
    uint32_t *alone = &bpor->shared->alone;
    for (int fd = 0; fd <= 2; fd++)
        if (!leads_to_file(fd))
            sys_call3(SYS_close, fd, 0, 0);
    closefrom(3);
    __atomic_store_n(alone, 1, __ATOMIC_RELEASE);
    sys_call3(SYS_futex, alone, FUTEX_WAKE, 1);
}

static void wait_until_alone(void)
{
    const uint32_t *alone = &bpor->shared->alone;
    while (!__atomic_load_n(alone, __ATOMIC_ACQUIRE))
        sys_call4(SYS_futex, alone, FUTEX_WAIT, 0, 0);
}

static void no_execution(enum bpor_outcome outcome, const char *why)
{
    bpor->shared->end.outcome = outcome;
    strncpy(bpor->shared->end.message, why, sizeof bpor->shared->end.message - 1);
    bpor_plan_done();
}

/* Returns in each child; in the template only if a debugger is to have it. */
static void fork_executions(void)
{
    bool first = true;
    sigset_t child_signal;
    struct programs_own own;
    look_at_what_is_shared();
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    become_template(&own, &child_signal);
    pid_t self = sys_getpid();
    bpor_template_hello();
    while (bpor_plan_next()) {
        bpor_template_reset_shared();
        if (bpor_plan_has(BPOR_PLAN_DEBUGGER)) {
            become_execution(&own);
            return;
        }
        const char *problem = first ? NULL : bpor_shared_put_back();
        first = false;
        if (problem) {
            no_execution(BPOR_OUTCOME_NEEDS_EXEC, problem);
            continue;
        }
        pid_t child = REAL(_Fork)();
        if (child == 0) {
            bpor_die_with(self);
            if (one_execution())
                wait_until_alone();
            become_execution(&own);
            return;
        }
        if (child < 0) {
            no_execution(BPOR_OUTCOME_INTERNAL, "fork failed");
            continue;
        }
        if (one_execution())
            leave_alone();
        bpor->shared->end.wait_status = (uint32_t)watch(child, &child_signal);
        bpor_plan_done();
    }
    sys_exit_group(0);
}

/* Returns at the beginning of every execution: in a child of this process, or in this process rolled back. */
void bpor_template_run(void)
{
    prepare();
    bpor->shared->rolls_back = 0;
    look_at_what_no_reset_brings_back();
    bool rollback = bpor_carrier == &bpor_fibers && bpor->shared->config.reset == BPOR_RESET_ROLLBACK && bpor_keeper_run();
    if (!rollback)
        fork_executions();
    begin_execution();
    bpor_linking_begin_execution();
    bpor_debugger_wait();
}
