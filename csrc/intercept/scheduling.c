/* How threads are scheduled, what is the default of their attributes, and whether they are detached. What is set for a thread is
 * libc's answer for whoever carries it; who asks for it meets who sets it. */
#define _GNU_SOURCE
#include "intercept/state_call.h"
#include "intercept/told.h"
#include "process/untold.h"
#include <pthread.h>
#include <sched.h>

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

SCHEDULING_CALL(pthread_setschedparam, (pthread_t thread, int policy, const struct sched_param *parameters),
                (thread, policy, parameters), CHANGES, TAKES(parameters))
SCHEDULING_CALL(pthread_getschedparam, (pthread_t thread, int *restrict policy, struct sched_param *restrict parameters),
                (thread, policy, parameters), LOOKS, FILLS(policy), FILLS(parameters))
SCHEDULING_CALL(pthread_setschedprio, (pthread_t thread, int priority), (thread, priority), CHANGES, (void)0)
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

INTERCEPT int pthread_setattr_default_np(const pthread_attr_t *attributes)
{
    bpor_told_read(attributes, sizeof *attributes, CALL_SITE);
    bpor_piece_use(STATE_SETTINGS, THREAD_DEFAULTS, CHANGES, CALL_SITE);
    bpor_untold("nobody creates a thread while the defaults of threads change");
    return REAL(pthread_setattr_default_np)(attributes);
}

INTERCEPT int pthread_getattr_default_np(pthread_attr_t *attributes)
{
    bpor_told_fill(attributes, sizeof *attributes, CALL_SITE);
    bpor_piece_use(STATE_SETTINGS, THREAD_DEFAULTS, LOOKS, CALL_SITE);
    return REAL(pthread_getattr_default_np)(attributes);
}
