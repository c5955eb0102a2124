/* The template: waits at the fork point, makes one child per plan, reaps it and tells the controller.
 *
 * Being beside the child it can tell every way it may end, SIGKILL included, and nothing outlives it: children die with the
 * template, the template dies with the controller. */
#define _GNU_SOURCE
#include "reset/template.h"
#include "beside/search.h"
#include "carrier/carrier.h"
#include "intercept/linking.h"
#include "model/channel.h"
#include "process/aliases.h"
#include "process/descendants.h"
#include "process/descriptors.h"
#include "process/family.h"
#include "process/imports.h"
#include "process/loaded.h"
#include "python/calls.h"
#include "python/entries.h"
#include "python/gil.h"
#include "python/locks.h"
#include "race/race.h"
#include "reset/changes.h"
#include "reset/forked.h"
#include "reset/keeper.h"
#include "reset/litter.h"
#include "reset/shared_state.h"
#include "runtime/debugger.h"
#include "runtime/environment.h"
#include "runtime/plan.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include "trust/trust.h"
#include "weak/weak.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 10 };

static uint64_t milliseconds(void)
{
    struct timespec now;
    sys_call3(SYS_clock_gettime, CLOCK_MONOTONIC, &now, 0);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* What came of a process beside the execution: a mode in which that one is controlled, or nothing can be said. */
static void end_for_stranger(void)
{
    struct bpor_shared *shared = bpor->shared;
    struct bpor_end *end = &shared->end;
    shared->needs_family = shared->stranger.kind == BPOR_STRANGER_MAKES_THREADS && !shared->threads_made;
    end->outcome = shared->needs_family ? BPOR_OUTCOME_NEEDS_FORK : BPOR_OUTCOME_REFUSED;
    if (shared->needs_family)
        snprintf(end->message, sizeof end->message, "control follows to another process, %s, which makes the threads",
                 shared->stranger.name);
    else
        say_stranger(end->message, sizeof end->message, shared);
}

static bool ended_by_itself(void)
{
    uint32_t outcome = bpor->shared->end.outcome;
    return outcome == BPOR_OUTCOME_EXIT || outcome == BPOR_OUTCOME_NONE;
}

/* An execution is over when every process that it started has ended too: until then it may make threads. */
static void wait_for_descendants(void)
{
    struct bpor_end *end = &bpor->shared->end;
    uint64_t since = milliseconds();
    int status;
    long pid;
    while ((pid = sys_call4(SYS_wait4, -1, &status, WNOHANG | __WALL, 0)) != -ECHILD && ended_by_itself() &&
           !stranger_is_there(bpor->shared)) {
        struct timespec tick = {0, TICK_MS * 1000000};
        if (pid == 0)
            sys_call3(SYS_nanosleep, &tick, 0, 0);
        bpor->shared->progress++; /* the controller's watchdog is not for this */
        if (milliseconds() - since < bpor->shared->config.watchdog_ms)
            continue;
        say_outlives(end->message, sizeof end->message, bpor->shared->config.watchdog_ms);
        end->outcome = BPOR_OUTCOME_REFUSED;
    }
    if (pid != -ECHILD)
        descendants_kill();
}

static void settle(void)
{
    struct bpor_end *end = &bpor->shared->end;
    wait_for_descendants();
    const char *unseen = program_out_of_sight(bpor->shared);
    if (stranger_is_there(bpor->shared)) {
        end_for_stranger();
    } else if (ended_by_itself() && unseen) {
        say_out_of_sight(end->message, sizeof end->message, unseen);
        end->outcome = BPOR_OUTCOME_REFUSED;
    }
}

/* The controller watches it; here it is only waited for. */
static int wait_for(pid_t child)
{
    int status = 0;
    while (sys_call4(SYS_wait4, child, &status, 0, 0) == -EINTR)
        continue;
    bpor->shared->child = 0;
    return status;
}

/* The execution was killed by neither the controller nor itself: an operator did it, or the kernel for lack of memory. It is run
 * once more, and counts only if it is killed a second time. It cannot be run again if events were already sent or a question
 * asked, or if it changed files. */
static bool deserves_another(int status)
{
    const struct bpor_shared *shared = bpor->shared;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && shared->end.outcome == BPOR_OUTCOME_NONE &&
           !stranger_is_there(shared) && shared->batches == 0 && !bpor_plan_has(BPOR_PLAN_ASK) &&
           shared->config.reset != BPOR_RESET_EXEC && !bpor_litter_left();
}

void bpor_die_with(int parent)
{
    sys_call3(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0);
    if (sys_call3(SYS_getppid, 0, 0, 0) != parent)
        sys_exit_group(99);
}

/* What of the program's own state the template changes for itself. */
struct programs_own {
    struct sigaction child_action;
    struct control_state control;
};

/* The search must neither be stopped by a floating-point exception that the program has enabled, nor use the program's rounding
 * mode. */
static void become_template(struct programs_own *own)
{
    struct sigaction default_action = {.sa_handler = SIG_DFL};
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
    if (bpor->shared->config.reset == BPOR_RESET_FORK)
        bpor_channels_renew();
    bpor_changes_watch("changes");
}

/* As the kernel knows the process and its one thread: the same in every execution that is rolled back. */
static void identify(void)
{
    bpor->process = (uint32_t)sys_getpid();
    bpor_self->kernel_id = sys_gettid();
    sys_call4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &bpor_self->signal_mask, sizeof bpor_self->signal_mask);
}

static void begin_execution(void)
{
    bpor_plan_unpack();
    bpor->steps = bpor->preemptions = bpor->spent = bpor->refused_by_bound = bpor->lost = 0;
    bpor->lost_at = bpor->counting_at = 0;
    bpor->hash = BPOR_FIRST_HASH;
    bpor->last = BPOR_NO_THREAD;
    bpor->unexplored = bpor->shared->config.unexplored;
    if (!bpor_keeper_active()) {
        identify();
        bpor_signals_prepare_thread(bpor_self);
    }
    bpor_self->state = THREAD_RUNNING;
    bpor_family_sign();
    bpor->shared->child = bpor->process;
    bpor->shared->running = (uint32_t)bpor_self->kernel_id;
    bpor_shadow_begin();
    bpor_weak_begin();
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
    bpor_race_find_standard_streams();
    bpor_loaded_note();
    bpor_places_prepare();
    bpor_aliases_look();
    bpor_trust_look();
    bpor_record_stack(); /* the unwinder sets itself up, through pthread_once, at its first use: not in an execution */
    bpor_gil_find();
    bpor_entries_watch();
    bpor_calls_watch();
    bpor_locks_watch();
    bpor_signals_install();
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_MAX, 0); /* large blocks in the heap too, which keeps what it has: fewer effects to undo, in every mode */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    __libc_single_threaded = 0;
    bpor_environment_set_temporary(config);
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
    shared->events = shared->cut = shared->segments = 0;
    shared->threads_made = shared->became = shared->looked = 0;
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
    if (!why)
        return;
    demand(BPOR_NEED_EXEC, why);
    bpor_shared_remove_segments(sys_getpid()); /* nobody goes on from here */
}

/* Where this is not the process that was started, the next one runs its execution in place. */
static bool forks_executions(void)
{
    const struct bpor_shared *shared = bpor->shared;
    return !shared->config.family && (shared->first == 0 || shared->first == (uint32_t)sys_getpid());
}

/* A program for which no mode is right. */
static void look_at_what_no_reset_brings_back(void)
{
    const char *why = bpor->unheard ? NULL : bpor_shared_timers(); /* in its own search it is controlled, and asked */
    if (!why && forks_executions())
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

/* What an execution that was killed had just started. */
static void forget_started(void)
{
    bpor->shared->started_unseen = 0;
    for (unsigned i = 0; i < BPOR_STARTED; i++)
        bpor->shared->started[i].taken = 0;
}

/* True in the child, which has a process group of its own: a signal to its group reaches neither us nor the controller. */
static bool fork_execution(int *status)
{
    bpor_forked_prepare();
    pid_t self = sys_getpid(), child = REAL(_Fork)();
    if (child == 0) {
        bpor_forked_born();
        bpor_die_with(self);
        sys_call3(SYS_setpgid, 0, 0, 0);
        if (one_execution())
            wait_until_alone();
        return true;
    }
    if (child < 0) {
        bpor->shared->end.outcome = BPOR_OUTCOME_INTERNAL;
        strcpy(bpor->shared->end.message, "fork failed");
        return false;
    }
    if (one_execution())
        leave_alone();
    *status = wait_for(child);
    if (bpor->shared->segments)
        bpor_shared_remove_segments(child);
    if (one_execution())
        bpor_shared_remove_segments(self);
    settle();
    return false;
}

static bool fork_again(int *status)
{
    bpor_template_reset_shared();
    forget_started();
    bpor_search_again();
    return bpor_shared_put_back() == NULL && fork_execution(status);
}

/* An execution that reported no end and looks like a success ended by a bare system call, so what else it did is unknown. Or it
 * has executed another program: if it never had a second thread, the status of that program is the result. */
static void take_end(int status)
{
    struct bpor_end *end = &bpor->shared->end;
    end->wait_status = (uint32_t)status;
    if (end->outcome != BPOR_OUTCOME_NONE || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return;
    end->thread = BPOR_NO_THREAD;
    if (bpor->shared->became && !bpor->shared->threads_made) {
        end->outcome = BPOR_OUTCOME_EXIT;
        return;
    }
    end->outcome = BPOR_OUTCOME_REFUSED;
    snprintf(end->message, sizeof end->message, "%s%s", bpor->shared->became ? "the program " : "",
             bpor->shared->became ? BPOR_BECAME : BPOR_BARE_EXIT);
}

/* Returns in each child; in the template only if a debugger is to have it. */
static void fork_executions(void)
{
    bool first = true;
    struct programs_own own;
    look_at_what_is_shared();
    become_template(&own);
    descendants_adopt();
    bpor->shared->watcher = (uint32_t)sys_getpid();
    bpor_template_hello();
    while (bpor_plan_next()) {
        int status = 0;
        bpor_template_reset_shared();
        forget_started();
        const char *problem = first ? NULL : bpor_shared_put_back();
        first = false;
        if (problem) {
            no_execution(BPOR_OUTCOME_NEEDS_EXEC, problem);
            continue;
        }
        if (bpor_plan_has(BPOR_PLAN_DEBUGGER) || fork_execution(&status) || (deserves_another(status) && fork_again(&status))) {
            become_execution(&own);
            return;
        }
        take_end(status);
        bpor_plan_done();
    }
    sys_exit_group(0);
}

/* Other processes wait for this very one, and have the same files open: the one execution is here, and nothing is opened anew. */
static void run_in_place(void)
{
    if (bpor->unheard) {
        bpor_plan_first_schedule();
        return;
    }
    bpor_template_hello();
    if (!bpor_plan_next())
        sys_exit_group(99);
    bpor_template_reset_shared();
}

/* What was begun before there was anything to control, and what of it goes on. */
static void look_around(void)
{
    struct bpor_shared *shared = bpor->shared;
    bpor_family_check();
    shared->has_children = bpor_family_has_children() || program_out_of_sight(shared);
    look_at_what_no_reset_brings_back();
}

/* Returns at the beginning of every execution: in a child of this process, or in this process, rolled back or for the first time.
 */
void bpor_template_run(void)
{
    prepare();
    bpor->shared->rolls_back = 0;
    look_around();
    identify();
    bool rollback = bpor_carrier == &bpor_fibers && bpor->shared->config.reset == BPOR_RESET_ROLLBACK && bpor_keeper_run();
    if (bpor->shared->config.family)
        run_in_place();
    else if (!rollback)
        fork_executions();
    bpor_forked_begin();
    begin_execution();
    bpor_linking_begin_execution();
    bpor_debugger_wait();
}
