/* For each kind of operation: when it is enabled and what it does. One row per kind, filled in by the files of the families. */
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

/* semaphore.c */
bool semaphore_wait_enabled(const struct thread *thread);
void semaphore_init_perform(struct thread *thread);
void semaphore_destroy_perform(struct thread *thread);
void semaphore_wait_perform(struct thread *thread);
void semaphore_trywait_perform(struct thread *thread);
void semaphore_post_perform(struct thread *thread);
void semaphore_getvalue_perform(struct thread *thread);

/* thread.c */
enum { JOIN_DETACHED_TOO = 1 }; /* argument of a join that is not pthread_join */
bool thread_join_enabled(const struct thread *thread);
void thread_join_perform(struct thread *thread);
void thread_detach_perform(struct thread *thread);

/* thread_end.c */
void thread_end_perform(struct thread *thread);

/* futex.c */
void futex_wait_perform(struct thread *thread);
bool futex_return_enabled(const struct thread *thread);
void futex_return_perform(struct thread *thread);
void futex_wake_perform(struct thread *thread);
void futex_requeue_perform(struct thread *thread);
void futex_wake_op_perform(struct thread *thread);

/* descriptor_io.c */
bool descriptor_io_enabled(const struct thread *thread);
bool descriptor_io_may_time_out(const struct thread *thread);
void descriptor_io_perform(struct thread *thread);
void descriptor_call_perform(struct thread *thread);

/* poll.c */
bool poll_enabled(const struct thread *thread);
bool poll_may_time_out(const struct thread *thread);
void poll_perform(struct thread *thread);

/* memory.c */
void memory_perform(struct thread *thread);
void fence_perform(struct thread *thread);

/* stdio.c */
bool stdio_enabled(const struct thread *thread);
void stdio_lock_perform(struct thread *thread);
void stdio_trylock_perform(struct thread *thread);
void stdio_unlock_perform(struct thread *thread);

/* rwlock.c */
bool rwlock_rdlock_enabled(const struct thread *thread);
bool rwlock_wrlock_enabled(const struct thread *thread);
void rwlock_init_perform(struct thread *thread);
void rwlock_destroy_perform(struct thread *thread);
void rwlock_rdlock_perform(struct thread *thread);
void rwlock_wrlock_perform(struct thread *thread);
void rwlock_unlock_perform(struct thread *thread);
bool rwlock_announce_enabled(const struct thread *thread);
void rwlock_announce_perform(struct thread *thread);
void rwlock_withdraw_perform(struct thread *thread);
bool bpor_rwlock_prefers_writers(const void *lock);
/* Puts what we know of the holders in step with the lock itself; the object is ready for an operation then. */
void bpor_rwlock_reconcile(struct object *object);
unsigned bpor_rwlock_reads_held(const struct object *object, unsigned thread);

/* spin.c */
bool bpor_spin_is_free(const void *lock);
bool spin_lock_enabled(const struct thread *thread);
void spin_init_perform(struct thread *thread);
void spin_destroy_perform(struct thread *thread);
void spin_lock_perform(struct thread *thread);
void spin_unlock_perform(struct thread *thread);

/* barrier.c */
bool barrier_leave_enabled(const struct thread *thread);
bool barrier_destroy_enabled(const struct thread *thread);
void barrier_init_perform(struct thread *thread);
void barrier_destroy_perform(struct thread *thread);
void barrier_arrive_perform(struct thread *thread);
void barrier_leave_perform(struct thread *thread);

bool bpor_barrier_awaited(const struct object *object);
void bpor_barrier_touch(struct operation *op, struct object *object, int64_t round);

/* free.c */
void free_perform(struct thread *thread);

/* once.c */
bool bpor_once_is_done(const void *control);
bool once_begin_enabled(const struct thread *thread);
void once_begin_perform(struct thread *thread);
void once_end_perform(struct thread *thread);

/* guard.c */
bool guard_acquire_enabled(const struct thread *thread);
void guard_acquire_perform(struct thread *thread);
void guard_release_perform(struct thread *thread);

/* robust.c */
bool bpor_mutex_is_robust(const void *mutex);
bool bpor_mutex_is_lost(const void *mutex);
void mutex_abandon_perform(struct thread *thread);

/* join.c */
bool timedjoin_enabled(const struct thread *thread);
void tryjoin_perform(struct thread *thread);

/* named_semaphore.c */
void semaphore_open_perform(struct thread *thread);
void semaphore_close_perform(struct thread *thread);
void semaphore_unlink_perform(struct thread *thread);

/* timeout.c: what every wait does that ends by its timeout */
void bpor_time_out(struct thread *thread);
/* The same for a wait that is no try. */
void bpor_time_is_up(struct thread *thread);
void yield_perform(struct thread *thread);

/* gil.c */
bool gil_take_enabled(const struct thread *thread);
void gil_take_perform(struct thread *thread);
void gil_drop_perform(struct thread *thread);

/* python_lock.c */
bool python_lock_enabled(const struct thread *thread);
void python_lock_perform(struct thread *thread);
void python_trylock_perform(struct thread *thread);
void python_unlock_perform(struct thread *thread);

/* python/region.c */
bool gate_enabled(const struct thread *thread);
void gate_perform(struct thread *thread);
bool leave_enabled(const struct thread *thread);
bool region_await_enabled(const struct thread *thread);
bool region_end_enabled(const struct thread *thread);
void region_end_perform(struct thread *thread);

/* choice.c */
void choose_perform(struct thread *thread);
bool assume_enabled(const struct thread *thread);
void fault_perform(struct thread *thread);

/* signal_wait.c */
enum signal_wait { SIGNALS_ARE_TAKEN, SIGNALS_ARE_LOOKED_FOR, SIGNALS_ARE_HANDLED }; /* argument of a wait for signals */
bool signal_wait_enabled(const struct thread *thread);
void signal_wait_perform(struct thread *thread);

/* sleep.c */
void sleep_perform(struct thread *thread);
#endif
