/* Unnamed semaphores. The value lies in the semaphore; the real operations never block because they run only when enabled. */
#include "model/rules.h"
#include "runtime/lifetimes.h"
#include "runtime/real.h"
#include <errno.h>
#include <semaphore.h>

static sem_t *semaphore_at(const struct thread *thread)
{
    return (sem_t *)thread->op.object->address;
}

/* libc's answers are -1 and errno; ours travel as an error number. */
static int answer(int result)
{
    return result == 0 ? 0 : errno;
}

bool semaphore_wait_enabled(const struct thread *thread)
{
    int value = 0;
    REAL(sem_getvalue)(semaphore_at(thread), &value);
    return value > 0;
}

void semaphore_init_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    thread->result = answer(REAL(sem_init)(semaphore_at(thread), 0, (unsigned)op->argument));
}

static bool somebody_waits(const struct thread *self)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *other = &bpor->thread[i];
        if (other != self && other->state == THREAD_WAITING && other->op.object == self->op.object &&
            (bpor_properties(other->op.kind) & BLOCKS))
            return true;
    }
    return false;
}

void semaphore_destroy_perform(struct thread *thread)
{
    if (somebody_waits(thread)) {
        bpor_misuse("destroy of a semaphore on which a thread waits");
        return;
    }
    thread->result = answer(REAL(sem_destroy)(semaphore_at(thread)));
    bpor_lifetime_destroyed(thread, sizeof(sem_t));
}

static void fail(struct thread *thread, int error)
{
    thread->op.access[0].write = 0; /* only a post, a write, could have changed the answer */
    bpor_mark_failed(thread);
    thread->result = error;
}

void semaphore_wait_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    if (REAL(sem_trywait)(semaphore_at(thread)) == 0)
        return;
    op->access[0].write = 0;
    bpor_time_out(thread);
}

void semaphore_trywait_perform(struct thread *thread)
{
    if (REAL(sem_trywait)(semaphore_at(thread)) != 0)
        fail(thread, EAGAIN);
}

void semaphore_post_perform(struct thread *thread)
{
    thread->result = answer(REAL(sem_post)(semaphore_at(thread)));
}

void semaphore_getvalue_perform(struct thread *thread)
{
    int value = 0;
    thread->result = answer(REAL(sem_getvalue)(semaphore_at(thread), &value));
    thread->op.value = (uint64_t)value;
}
