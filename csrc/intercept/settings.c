/* Settings of the process, which the kernel or libc keeps for all its threads. Signal handlers: signal.c. */
#define _GNU_SOURCE
#include "intercept/numbers.h"
#include "intercept/state_call.h"
#include "intercept/told.h"
#include "process/untold.h"
#include "runtime/runtime.h"
#include "runtime/start.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum setting { MODE_MASK = SIGNAL_SETTINGS, LIMITS, PRIORITY, EXIT_FUNCTIONS, CHILDREN, PROGRAM_BREAK };

#define SETTING_CALL(result, name, parameters, arguments, setting, access)                                                       \
    PIECE_CALL(result, name, parameters, arguments, STATE_SETTINGS, setting, access)

/* What the call finds out goes into memory of the program, if its answer is as it should be. */
#define ANSWER_CALL(result, name, parameters, arguments, setting, access, to, is_well)                                           \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_piece_use(STATE_SETTINGS, setting, access, CALL_SITE);                                                              \
        bpor_told_room(to, sizeof *to, CALL_SITE);                                                                               \
        result answer = REAL(name) arguments;                                                                                    \
        bpor_told_write(to, answer is_well ? (ssize_t)sizeof *to : 0, CALL_SITE);                                                \
        return answer;                                                                                                           \
    }
/* Those that other calls run into: what they may open, write, map, lock or start. */
static bool is_met_by_calls(__rlimit_resource_t resource)
{
    return resource == RLIMIT_NOFILE || resource == RLIMIT_FSIZE || resource == RLIMIT_AS || resource == RLIMIT_DATA ||
           resource == RLIMIT_STACK || resource == RLIMIT_NPROC || resource == RLIMIT_MEMLOCK || resource == RLIMIT_SIGPENDING;
}

/* What other threads' calls do from now on (open, write, mmap) follows a new limit, and they are no uses of it. */
static void about_to_limit(__rlimit_resource_t resource, rlim_t most)
{
    struct rlimit now;
    if (is_met_by_calls(resource) && bpor_process_state_meets_others() && REAL(getrlimit)(resource, &now) == 0 &&
        now.rlim_cur != most)
        bpor_refuse("setrlimit",
                    "a limit that changes beside other threads changes their calls as well; set it before they begin");
}

#define LIMIT_CALL(name, type)                                                                                                   \
    INTERCEPT int name(__rlimit_resource_t resource, const struct type *limit)                                                   \
    {                                                                                                                            \
        bpor_told_read(limit, sizeof *limit, CALL_SITE);                                                                         \
        bpor_piece_use(STATE_SETTINGS, LIMITS, CHANGES, CALL_SITE);                                                              \
        about_to_limit(resource, limit->rlim_cur);                                                                               \
        return REAL(name)(resource, limit);                                                                                      \
    }

#define PRLIMIT_CALL(name, type)                                                                                                 \
    INTERCEPT int name(pid_t who, __rlimit_resource_t resource, const struct type *limit, struct type *before)                   \
    {                                                                                                                            \
        bpor_told_read(limit, sizeof *limit, CALL_SITE);                                                                         \
        bpor_told_fill(before, sizeof *before, CALL_SITE);                                                                       \
        bpor_piece_use(STATE_SETTINGS, LIMITS, (limit ? CHANGES : 0) | (before ? LOOKS : 0), CALL_SITE);                         \
        if (limit)                                                                                                               \
            about_to_limit(resource, limit->rlim_cur);                                                                           \
        return REAL(name)(bpor_kernel_number(who), resource, limit, before);                                                     \
    }

typedef void exit_function(void *argument);
typedef void exit_status_function(int status, void *argument);
int __cxa_atexit(exit_function *function, void *argument, void *module);
int __cxa_at_quick_exit(exit_function *function, void *module);

SETTING_CALL(mode_t, umask, (mode_t mask), (mask), MODE_MASK, LOOKS | CHANGES)
ANSWER_CALL(int, getrlimit, (__rlimit_resource_t resource, struct rlimit *limit), (resource, limit), LIMITS, LOOKS, limit, == 0)
ANSWER_CALL(int, getrlimit64, (__rlimit_resource_t resource, struct rlimit64 *limit), (resource, limit), LIMITS, LOOKS, limit,
            == 0)
LIMIT_CALL(setrlimit, rlimit)
LIMIT_CALL(setrlimit64, rlimit64)
PRLIMIT_CALL(prlimit, rlimit)
PRLIMIT_CALL(prlimit64, rlimit64)
SETTING_CALL(int, getpriority, (__priority_which_t which, id_t who), (which, (id_t)bpor_kernel_number((pid_t)who)), PRIORITY,
             LOOKS)
SETTING_CALL(int, setpriority, (__priority_which_t which, id_t who, int priority),
             (which, (id_t)bpor_kernel_number((pid_t)who), priority), PRIORITY, CHANGES)
SETTING_CALL(int, nice, (int more), (more), PRIORITY, LOOKS | CHANGES)

/* The order in which functions are registered is the order in which exit calls them, and it calls those that are there by then.
 */
void bpor_exit_begins(const void *site)
{
    bpor_piece_use(STATE_SETTINGS, EXIT_FUNCTIONS, LOOKS | CHANGES, site);
}

static void registers(const void *site)
{
    bpor_piece_use(STATE_SETTINGS, EXIT_FUNCTIONS, LOOKS | CHANGES, site);
    if (bpor_exit_functions_done())
        bpor_untold("a function that is registered for the end of the process behind the last that is called is not called");
}

#define REGISTER_CALL(name, parameters, arguments)                                                                               \
    INTERCEPT int name parameters                                                                                                \
    {                                                                                                                            \
        registers(CALL_SITE);                                                                                                    \
        return REAL(name) arguments;                                                                                             \
    }
REGISTER_CALL(__cxa_atexit, (exit_function * function, void *argument, void *module), (function, argument, module))
REGISTER_CALL(__cxa_at_quick_exit, (exit_function * function, void *module), (function, module))
REGISTER_CALL(on_exit, (exit_status_function * function, void *argument), (function, argument))

/* Who waits for a child first is the one who gets it. */
ANSWER_CALL(pid_t, wait, (int *status), (status), CHILDREN, LOOKS | CHANGES, status, > 0)
ANSWER_CALL(pid_t, waitpid, (pid_t child, int *status, int flags), (child, status, flags), CHILDREN, LOOKS | CHANGES, status, > 0)
ANSWER_CALL(pid_t, wait4, (pid_t child, int *status, int flags, struct rusage *usage), (child, status, flags, usage), CHILDREN,
            LOOKS | CHANGES, status, > 0)
ANSWER_CALL(int, waitid, (idtype_t kind, id_t who, siginfo_t *facts, int flags), (kind, who, facts, flags), CHILDREN,
            LOOKS | CHANGES, facts, == 0)

SETTING_CALL(void *, sbrk, (intptr_t more), (more), PROGRAM_BREAK, more == 0 ? LOOKS : LOOKS | CHANGES)
SETTING_CALL(int, brk, (void *end), (end), PROGRAM_BREAK, CHANGES)
