/* The table of rules. A kind without a row is always enabled and does nothing. */
#include "model/rules.h"

const struct rules bpor_rules[OP_COUNT] = {
    [OP_JOIN] = {.enabled = thread_join_enabled, .perform = thread_join_perform},
    [OP_DETACH] = {.perform = thread_detach_perform},
    [OP_MUTEX_INIT] = {.perform = mutex_init_perform},
    [OP_MUTEX_DESTROY] = {.perform = mutex_destroy_perform},
    [OP_MUTEX_LOCK] = {.enabled = mutex_lock_enabled, .perform = mutex_lock_perform},
    [OP_MUTEX_TRYLOCK] = {.perform = mutex_trylock_perform},
    [OP_MUTEX_TIMEDLOCK] = {.enabled = mutex_lock_enabled, .perform = mutex_lock_perform},
    [OP_MUTEX_UNLOCK] = {.perform = mutex_unlock_perform},
    [OP_COND_INIT] = {.perform = condition_init_perform},
    [OP_COND_DESTROY] = {.perform = condition_destroy_perform},
    [OP_COND_WAIT] = {.perform = condition_wait_perform},
    [OP_COND_WAKE] = {.enabled = condition_wake_enabled,
                      .perform = condition_wake_perform,
                      .may_time_out = condition_wake_may_time_out},
    [OP_COND_SIGNAL] = {.perform = condition_signal_perform},
    [OP_COND_BROADCAST] = {.perform = condition_broadcast_perform},
    [OP_SEM_INIT] = {.perform = semaphore_init_perform},
    [OP_SEM_DESTROY] = {.perform = semaphore_destroy_perform},
    [OP_SEM_WAIT] = {.enabled = semaphore_wait_enabled, .perform = semaphore_wait_perform},
    [OP_SEM_TRYWAIT] = {.perform = semaphore_trywait_perform},
    [OP_SEM_TIMEDWAIT] = {.enabled = semaphore_wait_enabled, .perform = semaphore_wait_perform},
    [OP_SEM_POST] = {.perform = semaphore_post_perform},
    [OP_SEM_GETVALUE] = {.perform = semaphore_getvalue_perform},
    [OP_SLEEP] = {.perform = sleep_perform},
};
