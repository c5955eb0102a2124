/* When any process of the program may be the one that creates threads, the launcher stays alive. It is the reaper of every
 * orphan, so a daemon cannot escape, and killing the launcher kills them all.
 *
 * When the process with threads is not the one that was started, an execution consists of all processes. The exit status of the
 * first process decides: it has waited for the test and knows what the test's status means. The supervisor reports the end when
 * no process is left. */
#define _GNU_SOURCE
#include "launcher/supervise.h"
#include "process/descendants.h"
#include "runtime/runtime.h"
#include <time.h>
#include <unistd.h>

#define ENDED_FROM_OUTSIDE                                                                                                       \
    "was ended from outside in the midst of its execution: killed by another process of the program, or by a bare system call;"  \
    " let it end by itself"
enum { TICK_MS = 100, MERCY_MS = 1000 };

static struct supervision {
    struct bpor_shared *shared;
    int events;
    pid_t first;
    int status;      /* of the first process, once it has ended */
    bool first_over; /* it has ended */
    bool orphan;     /* the controlled one was left to us: no process of the program has waited for it */
    uint64_t since;  /* when something last happened */
} now;

static uint64_t milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static uint32_t outcome(void)
{
    return __atomic_load_n(&now.shared->end.outcome, __ATOMIC_ACQUIRE);
}

__attribute__((noreturn)) static void leave(void)
{
    descendants_kill();
    _exit(0);
}

/* The controller ends us when it has read the message. */
__attribute__((noreturn)) static void tell_end(enum bpor_outcome how)
{
    struct bpor_message message = {BPOR_MAGIC, BPOR_MESSAGE_END, 0, 0};
    sigset_t term;
    int number;
    descendants_kill();
    now.shared->end.outcome = how;
    if (write(now.events, &message, sizeof message) != sizeof message)
        _exit(99);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigwait(&term, &number);
    _exit(0);
}

__attribute__((noreturn)) static void refuse(void)
{
    tell_end(BPOR_OUTCOME_REFUSED);
}

/* Nobody else runs: the status of the first process is the program's, unless nobody of the program took that of the test. */
__attribute__((noreturn)) static void judge(void)
{
    struct bpor_end *end = &now.shared->end;
    const struct bpor_turns *turns = &now.shared->turns;
    const char *unseen = program_out_of_sight(now.shared);
    if (unseen) {
        say_out_of_sight(end->message, sizeof end->message, unseen);
        refuse();
    }
    if (turns->active || (now.shared->claimed && outcome() == BPOR_OUTCOME_NONE)) {
        snprintf(end->message, sizeof end->message, "%s %s", turns->active ? turns->active_name : now.shared->claimed_name,
                 now.shared->became ? BPOR_BECAME : ENDED_FROM_OUTSIDE);
        refuse();
    }
    if (now.shared->config.process == 0 && turns->taken > 1) {
        snprintf(end->message, sizeof end->message, "%u processes make threads, one after the other", turns->taken);
        refuse();
    }
    if (turns->failed && end->code == 0 && now.status != 0) {
        snprintf(end->message, sizeof end->message,
                 "%s, process %u of those that make threads, ends with status %u in its first schedule", turns->failed_name,
                 turns->failed, turns->status);
        refuse();
    }
    end->wait_status = (uint32_t)now.status;
    if (WIFSIGNALED(now.status))
        tell_end(BPOR_OUTCOME_NONE);
    if (WEXITSTATUS(now.status) != 0 || !now.orphan)
        end->code = WEXITSTATUS(now.status);
    tell_end(BPOR_OUTCOME_EXIT);
}

/* Executions are another's business: ends as the first process did. */
__attribute__((noreturn)) static void end_alike(void)
{
    if (WIFSIGNALED(now.status)) {
        sigset_t all;
        sigfillset(&all);
        signal(WTERMSIG(now.status), SIG_DFL);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        raise(WTERMSIG(now.status));
    }
    _exit(WEXITSTATUS(now.status));
}

static void reap(void)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
        now.since = milliseconds();
        now.orphan |= now.shared->claimed == (uint32_t)pid && pid != now.first;
        if (pid != now.first)
            continue;
        now.status = status;
        now.first_over = true;
    }
    if (pid < 0 && errno == ECHILD) {
        if (!now.shared->config.family)
            end_alike();
        judge();
    }
}

/* Until the controlled process has ended the controller looks at the clock; then there is no progress but ours. */
static void look_at_clock(void)
{
    struct bpor_shared *shared = now.shared;
    uint32_t how = outcome();
    bool goes_on = how == BPOR_OUTCOME_NONE ? now.first_over && shared->claimed == 0 : true;
    if (!goes_on) {
        now.since = milliseconds();
        return;
    }
    __atomic_add_fetch(&shared->progress, 1, __ATOMIC_ACQ_REL);
    if (how != BPOR_OUTCOME_NONE &&
        how != BPOR_OUTCOME_EXIT) { /* told by the process itself, unless the controller had to kill it */
        if (milliseconds() - now.since > MERCY_MS)
            tell_end(how);
    } else if (milliseconds() - now.since > shared->config.watchdog_ms) {
        say_outlives(shared->end.message, sizeof shared->end.message, shared->config.watchdog_ms);
        refuse();
    }
}

__attribute__((noreturn)) static void watch(const sigset_t *signals)
{
    for (;;) {
        struct timespec tick = {0, TICK_MS * 1000000};
        if (sigtimedwait(signals, NULL, &tick) == SIGTERM)
            leave();
        if (!now.shared->config.family) {
            reap();
            continue;
        }
        if (stranger_is_there(now.shared)) {
            say_stranger(now.shared->end.message, sizeof now.shared->end.message, now.shared);
            refuse();
        }
        reap();
        look_at_clock();
    }
}

void supervise(struct bpor_shared *shared, int plan, int events)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &before);
    signal(SIGCHLD, SIG_DFL);
    pid_t self = getpid(), parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(99);
    descendants_adopt();
    if (shared->config.family)
        shared->watcher = (uint32_t)self;
    now = (struct supervision){.shared = shared, .events = events, .since = milliseconds()};
    now.first = fork();
    if (now.first == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(99);
        setpgid(0, 0);
        shared->first = (uint32_t)getpid();
        return;
    }
    close(plan);
    if (!shared->config.family)
        close(events); /* closed by all, it says that they are gone */
    watch(&signals);
}
