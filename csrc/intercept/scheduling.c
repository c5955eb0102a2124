/* How threads are scheduled, and what is the default of their attributes. */
#define _GNU_SOURCE
#include "intercept/state_call.h"
#include "intercept/thread_defaults.h"
#include "intercept/told.h"
#include "process/untold.h"
#include "runtime/runtime.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#define SCHEDULING_CALL(name, parameters, arguments, access, ...)                                                                \
    INTERCEPT int name parameters                                                                                                \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        bpor_piece_use(STATE_SETTINGS, SCHEDULING, access, site);                                                                \
        __VA_ARGS__;                                                                                                             \
        return REAL(name) arguments;                                                                                             \
    }
#define TAKES(object) bpor_told_read(object, sizeof *(object), site)
#define FILLS(object) bpor_told_fill(object, sizeof *(object), site)

/* What threads were given, beside what they began with. Which of them runs is decided otherwise; the kernel's threads carry
 * several, and would keep it from one execution to the next. */
static struct given {
    bool set;
    int policy;
    int priority;
} given[BPOR_MAX_THREADS];

static bool is_real_time(int policy)
{
    return policy == SCHED_FIFO || policy == SCHED_RR;
}

/* As the kernel answers. */
static int problem_of(int policy, int priority)
{
    int plain = policy & ~SCHED_RESET_ON_FORK;
    bool known = is_real_time(plain) || plain == SCHED_OTHER || plain == SCHED_BATCH || plain == SCHED_IDLE;
    if (!known || priority < sched_get_priority_min(plain) || priority > sched_get_priority_max(plain))
        return EINVAL;
    return is_real_time(plain) && geteuid() != 0 ? EPERM : 0;
}

static struct given *of(pthread_t handle)
{
    const struct thread *thread = bpor_controlled() ? bpor_thread_of(handle) : NULL;
    return thread ? &given[thread->id] : NULL;
}

INTERCEPT int pthread_setschedparam(pthread_t handle, int policy, const struct sched_param *parameters)
{
    const void *site = CALL_SITE;
    struct given *thread = of(handle);
    bpor_piece_use(STATE_SETTINGS, SCHEDULING, CHANGES, site);
    TAKES(parameters);
    if (thread == NULL)
        return REAL(pthread_setschedparam)(handle, policy, parameters);
    int problem = problem_of(policy, parameters->sched_priority);
    if (problem == 0)
        *thread = (struct given){true, policy, parameters->sched_priority};
    return problem;
}

INTERCEPT int pthread_getschedparam(pthread_t handle, int *restrict policy, struct sched_param *restrict parameters)
{
    const void *site = CALL_SITE;
    bpor_piece_use(STATE_SETTINGS, SCHEDULING, LOOKS, site);
    FILLS(policy);
    FILLS(parameters);
    const struct given *thread = of(handle);
    if (thread == NULL || !thread->set)
        return REAL(pthread_getschedparam)(thread ? pthread_self() : handle, policy, parameters);
    *policy = thread->policy;
    parameters->sched_priority = thread->priority;
    return 0;
}

INTERCEPT int pthread_setschedprio(pthread_t handle, int priority)
{
    struct given *thread = of(handle);
    bpor_piece_use(STATE_SETTINGS, SCHEDULING, CHANGES, CALL_SITE);
    if (thread == NULL)
        return REAL(pthread_setschedprio)(handle, priority);
    int policy = thread->set ? thread->policy : SCHED_OTHER, problem = problem_of(policy, priority);
    if (problem == 0)
        *thread = (struct given){true, policy, priority};
    return problem;
}

SCHEDULING_CALL(pthread_setaffinity_np, (pthread_t thread, size_t bytes, const cpu_set_t *set), (thread, bytes, set), CHANGES,
                bpor_told_read(set, bytes, site))
SCHEDULING_CALL(pthread_getaffinity_np, (pthread_t thread, size_t bytes, cpu_set_t *set), (thread, bytes, set), LOOKS,
                bpor_told_fill(set, bytes, site))
SCHEDULING_CALL(pthread_setconcurrency, (int level), (level), CHANGES, (void)0)
SCHEDULING_CALL(pthread_getconcurrency, (void), (), LOOKS, (void)0)
SCHEDULING_CALL(pthread_mutex_getprioceiling, (const pthread_mutex_t *restrict mutex, int *restrict ceiling), (mutex, ceiling),
                LOOKS, FILLS(ceiling))
SCHEDULING_CALL(pthread_mutex_setprioceiling, (pthread_mutex_t *restrict mutex, int ceiling, int *restrict before),
                (mutex, ceiling, before), LOOKS | CHANGES, FILLS(before))

bool bpor_thread_defaults_given;

INTERCEPT int pthread_setattr_default_np(const pthread_attr_t *attributes)
{
    bpor_told_read(attributes, sizeof *attributes, CALL_SITE);
    bpor_piece_use(STATE_SETTINGS, THREAD_DEFAULTS, CHANGES, CALL_SITE);
    bpor_untold("nobody creates a thread while the defaults of threads change");
    int error = REAL(pthread_setattr_default_np)(attributes);
    bpor_thread_defaults_given |= error == 0;
    return error;
}

INTERCEPT int pthread_getattr_default_np(pthread_attr_t *attributes)
{
    bpor_told_fill(attributes, sizeof *attributes, CALL_SITE);
    bpor_piece_use(STATE_SETTINGS, THREAD_DEFAULTS, LOOKS, CALL_SITE);
    return REAL(pthread_getattr_default_np)(attributes);
}
