/* syscall(SYS_futex, ...): what C++20's wait and notify, latch, barrier, semaphore, std::future and Rust's std block in
 * (model/futex.c). Answers with -1 and errno. */
#define _GNU_SOURCE
#include "model/futex.h"
#include "intercept/syscall.h"
#include "intercept/told.h"
#include "model/rules.h"
#include "runtime/injection.h"
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <time.h>

static long failed(int error)
{
    errno = error;
    return -1;
}

static struct object *queue_of(const uint32_t *word)
{
    return bpor_object(word, BPOR_CLASS_QUEUE, FAMILY_FUTEX);
}

static void touch_word(struct operation *op, const uint32_t *word, bool write)
{
    uint64_t site;
    bpor_touch(op, bpor_canonical((uintptr_t)word, BPOR_CLASS_MEMORY, &site), sizeof *word, write);
}

static bool valid(const struct timespec *time)
{
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < NANOSECONDS;
}

/* WAIT's timeout is an interval, WAIT_BITSET's a time of the clock. */
static uint64_t deadline_of(int operation, const struct timespec *timeout)
{
    if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
        return bpor_deadline(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
    uint64_t interval = (uint64_t)timeout->tv_nsec, deadline;
    if (__builtin_mul_overflow((uint64_t)timeout->tv_sec, (uint64_t)NANOSECONDS, &deadline) ||
        __builtin_add_overflow(deadline, interval, &deadline) || __builtin_add_overflow(deadline, bpor_now(), &deadline))
        return UINT64_MAX;
    return deadline;
}

static long wait(struct futex_call *call, int operation, const struct timespec *timeout, const void *site)
{
    bpor_told_read(timeout, timeout ? sizeof *timeout : 0, site);
    if (call->bits == 0 || (timeout && !valid(timeout)))
        return failed(EINVAL);
    if (bpor_interrupted(BPOR_CALL_FUTEX, site))
        return -1;
    uint64_t deadline = timeout ? deadline_of(operation, timeout) : 0;
    struct operation *op = bpor_operation(OP_FUTEX_WAIT, site);
    bpor_touch_object(op, call->queue, true);
    touch_word(op, call->word, false);
    op->argument = (int64_t)(uintptr_t)call;
    op->timed = timeout != NULL;
    op->deadline = deadline;
    int error = bpor_step();
    if (error)
        return failed(error);
    op = bpor_operation(OP_FUTEX_RETURN, site);
    bpor_touch_object(op, call->origin, true);
    op->argument = (int64_t)(uintptr_t)call;
    op->timed = timeout != NULL;
    op->deadline = deadline;
    error = bpor_step();
    return error ? failed(error) : 0;
}

static long answer_of(struct futex_call *call, struct operation *op)
{
    op->argument = (int64_t)(uintptr_t)call;
    int error = bpor_step();
    return error ? failed(error) : call->answer;
}

static long wake(struct futex_call *call, const void *site)
{
    if (call->bits == 0)
        return failed(EINVAL);
    struct operation *op = bpor_operation(OP_FUTEX_WAKE, site);
    bpor_touch_object(op, call->queue, true);
    return answer_of(call, op);
}

static long requeue(struct futex_call *call, const void *site)
{
    if (call->wake < 0 || call->second < 0)
        return failed(EINVAL);
    struct operation *op = bpor_operation(OP_FUTEX_REQUEUE, site);
    bpor_touch_object(op, call->queue, true);
    bpor_touch_object(op, call->second_queue, true);
    if (call->compares)
        touch_word(op, call->word, false);
    return answer_of(call, op);
}

static long wake_op(struct futex_call *call, const void *site)
{
    if ((call->encoded >> 28 & 7) > FUTEX_OP_XOR || (call->encoded >> 24 & 15) > FUTEX_OP_CMP_GE)
        return failed(ENOSYS);
    struct operation *op = bpor_operation(OP_FUTEX_WAKE_OP, site);
    bpor_touch_object(op, call->queue, true);
    bpor_touch_object(op, call->second_queue, true);
    touch_word(op, call->second_word, true);
    return answer_of(call, op);
}

static const char *inheriting(int command)
{
    switch (command) {
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
        return "FUTEX_LOCK_PI";
    case FUTEX_UNLOCK_PI:
        return "FUTEX_UNLOCK_PI";
    case FUTEX_TRYLOCK_PI:
        return "FUTEX_TRYLOCK_PI";
    case FUTEX_WAIT_REQUEUE_PI:
        return "FUTEX_WAIT_REQUEUE_PI";
    case FUTEX_CMP_REQUEUE_PI:
        return "FUTEX_CMP_REQUEUE_PI";
    default:
        return NULL;
    }
}

static bool misplaced(const uint32_t *word)
{
    return (uintptr_t)word % sizeof *word != 0;
}

static bool uses_second(int command)
{
    return command == FUTEX_REQUEUE || command == FUTEX_CMP_REQUEUE || command == FUTEX_WAKE_OP;
}

static void fill(struct futex_call *call, int command, const long argument[6])
{
    *call = (struct futex_call){.word = (uint32_t *)argument[0],
                                .second_word = (uint32_t *)argument[4],
                                .bits = FUTEX_BITSET_MATCH_ANY,
                                .expected = (uint32_t)argument[2],
                                .wake = (int)argument[2],
                                .second = (int)argument[3],
                                .compares = command == FUTEX_CMP_REQUEUE};
    if (command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET)
        call->bits = (uint32_t)argument[5];
    if (call->compares)
        call->expected = (uint32_t)argument[5];
    if (command == FUTEX_WAKE_OP)
        call->encoded = (uint32_t)argument[5];
    call->queue = call->origin = queue_of(call->word);
    if (uses_second(command))
        call->second_queue = queue_of(call->second_word);
}

long bpor_futex(const long argument[6], const void *site)
{
    int operation = (int)argument[1], command = operation & FUTEX_CMD_MASK;
    struct futex_call call;
    if (inheriting(command))
        bpor_refuse(inheriting(command), "futexes with priority inheritance cannot be controlled; use pthread_mutex_lock");
    if (argument[0] == 0)
        return failed(EFAULT);
    if (misplaced((uint32_t *)argument[0]) || (uses_second(command) && misplaced((uint32_t *)argument[4])))
        return failed(EINVAL);
    fill(&call, command, argument);
    switch (command) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return wait(&call, operation, (const struct timespec *)argument[3], site);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        return wake(&call, site);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        return requeue(&call, site);
    case FUTEX_WAKE_OP:
        return wake_op(&call, site);
    default:
        return failed(ENOSYS);
    }
}
