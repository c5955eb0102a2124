/* What each operation needs and does: one row per kind, filled from the family files beside this one. */
#ifndef BPOR_RULES_H
#define BPOR_RULES_H
#include "runtime/objects.h"
#include "runtime/runtime.h"

struct rules {
    bool (*enabled)(const struct thread *thread);      /* NULL: always */
    void (*perform)(struct thread *thread);            /* NULL: nothing to do but to have been chosen */
    bool (*may_time_out)(const struct thread *thread); /* of a timed operation that is not enabled; NULL: yes */
};

extern const struct rules bpor_rules[OP_COUNT];

/* mutex.c */
bool bpor_mutex_is_free(const void *mutex);
bool mutex_lock_enabled(const struct thread *thread);
void mutex_lock_perform(struct thread *thread);
void mutex_trylock_perform(struct thread *thread);
void mutex_unlock_perform(struct thread *thread);
void mutex_init_perform(struct thread *thread);
void mutex_destroy_perform(struct thread *thread);
/* Takes a free mutex for a thread, or gives it back: shared with the conditions. */
int bpor_mutex_take(struct thread *thread, struct object *mutex);
int bpor_mutex_give(struct thread *thread, struct object *mutex);

/* condition.c */
bool condition_wake_enabled(const struct thread *thread);
bool condition_wake_may_time_out(const struct thread *thread);
void condition_init_perform(struct thread *thread);
void condition_destroy_perform(struct thread *thread);
void condition_wait_perform(struct thread *thread);
void condition_wake_perform(struct thread *thread);
void condition_signal_perform(struct thread *thread);
void condition_broadcast_perform(struct thread *thread);
void bpor_conditions_reserve(void);

/* semaphore.c */
bool semaphore_wait_enabled(const struct thread *thread);
void semaphore_init_perform(struct thread *thread);
void semaphore_destroy_perform(struct thread *thread);
void semaphore_wait_perform(struct thread *thread);
void semaphore_trywait_perform(struct thread *thread);
void semaphore_post_perform(struct thread *thread);
void semaphore_getvalue_perform(struct thread *thread);

/* thread.c */
bool thread_join_enabled(const struct thread *thread);
void thread_join_perform(struct thread *thread);
void thread_detach_perform(struct thread *thread);

/* futex.c */
void futex_wait_perform(struct thread *thread);
bool futex_return_enabled(const struct thread *thread);
void futex_return_perform(struct thread *thread);
void futex_wake_perform(struct thread *thread);
void futex_requeue_perform(struct thread *thread);
void futex_wake_op_perform(struct thread *thread);

/* descriptor_io.c */
bool descriptor_io_enabled(const struct thread *thread);
void descriptor_io_perform(struct thread *thread);
void descriptor_call_perform(struct thread *thread);

/* poll.c */
bool poll_enabled(const struct thread *thread);
void poll_perform(struct thread *thread);

/* memory.c */
void memory_perform(struct thread *thread);
void fence_perform(struct thread *thread);

/* stdio.c */
bool stdio_enabled(const struct thread *thread);
void stdio_lock_perform(struct thread *thread);
void stdio_trylock_perform(struct thread *thread);
void stdio_unlock_perform(struct thread *thread);

/* sleep.c */
void sleep_perform(struct thread *thread);
#endif
