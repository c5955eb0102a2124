/* Events and messages to the controller. Events are written into the shared mapping, so a killed target loses none; a pipe
 * message says when half of the buffer is full, when an answer is wanted and when the execution is over. */
#include "beside/search.h"
#include "memory/told_stack.h"
#include "model/rules.h"
#include "python/locks.h"
#include "python/script.h"
#include "runtime/objects.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include "state/differences.h"
#include "state/identity.h"
#include <string.h>
#include <time.h>

void bpor_send(enum bpor_message_type type, uint64_t a, uint64_t b)
{
    struct bpor_message message = {BPOR_MAGIC, type, a, b};
    if (sys_write(bpor->event_fd, &message, sizeof message) != sizeof message)
        sys_exit_group(99); /* the controller is gone */
}

static void hand_over_half(void)
{
    struct bpor_shared *shared = bpor->shared;
    uint64_t number = shared->batches;
    shared->batches = number + 1;
    bpor_send(BPOR_MESSAGE_BATCH, number, 0);
    /* The other half may be written again only when the controller has read it. */
    while (__atomic_load_n(&shared->batches_read, __ATOMIC_ACQUIRE) < number) {
        struct timespec pause = {0, 50000};
        sys_call3(SYS_nanosleep, &pause, 0, 0);
        __atomic_store_n(&shared->progress, shared->progress + 1, __ATOMIC_RELEASE);
    }
    shared->events = 0;
}

static struct bpor_event *next_in_half(void)
{
    struct bpor_shared *shared = bpor->shared;
    if (shared->events == BPOR_HALF_EVENTS)
        hand_over_half();
    return &shared->event[shared->batches % 2 * BPOR_HALF_EVENTS + shared->events];
}

static struct bpor_event *next_in_log(void)
{
    if (bpor->shared->events == BPOR_LOG_EVENTS)
        bpor_end(BPOR_OUTCOME_UNFIT, 0, "an execution is too long for the search beside the program");
    return &bpor_search_log()[bpor->shared->events];
}

static struct bpor_event *new_event(enum bpor_event_type type, unsigned thread)
{
    struct bpor_event *event = bpor_search_active() ? next_in_log() : next_in_half();
    *event = (struct bpor_event){.type = (uint8_t)type, .thread = (uint16_t)thread, .target = BPOR_NO_THREAD};
    return event;
}

/* The count grows last: the controller may read a killed target's buffer at any moment. */
static void publish(void)
{
    if (bpor_search_active())
        bpor_search_seal_event(&bpor_search_log()[bpor->shared->events]);
    __atomic_store_n(&bpor->shared->events, bpor->shared->events + 1, __ATOMIC_RELEASE);
}

static bool wanted(void)
{
    return bpor->steps >= bpor->plan.report_from;
}

static bool describing(void)
{
    return bpor->plan.flags & BPOR_PLAN_DESCRIBE;
}

/* Words from the second on, as many as an event holds; the first, if it is told, with them. */
static void emit_words(enum bpor_event_type type, const thread_set *set, unsigned first, uint64_t lowest)
{
    struct bpor_event *event = new_event(type, BPOR_NO_THREAD);
    event->enabled = lowest;
    event->value = first;
    for (unsigned i = 0; i < BPOR_INLINE_ACCESSES && first + i < BPOR_THREAD_WORDS; i++)
        event->access[i].object = set->word[first + i];
    event->accesses = BPOR_INLINE_ACCESSES;
    publish();
}

static void emit_set(enum bpor_event_type type, const thread_set *set, uint64_t lowest)
{
    unsigned first = 1;
    do {
        emit_words(type, set, first, lowest);
        first += BPOR_INLINE_ACCESSES;
    } while (first < set_words());
}

static void emit_operation(enum bpor_event_type type, const struct thread *thread)
{
    const struct operation *op = &thread->op;
    unsigned first = 0;
    while (op->accesses - first > BPOR_INLINE_ACCESSES) {
        struct bpor_event *more = new_event(BPOR_EVENT_ACCESSES, thread->id);
        memcpy(more->access, &op->access[first], sizeof more->access);
        more->accesses = BPOR_INLINE_ACCESSES;
        first += BPOR_INLINE_ACCESSES;
        publish();
    }
    struct bpor_event *event = new_event(type, thread->id);
    event->op = op->kind;
    event->flags = (uint8_t)(op->flags | (bpor_waits_timed(thread) ? BPOR_FLAG_TIMEOUT : 0));
    event->target = op->target;
    event->site = op->site;
    event->value = op->value;
    event->accesses = (uint8_t)(op->accesses - first);
    memcpy(event->access, &op->access[first], event->accesses * sizeof event->access[0]);
    if (type == BPOR_EVENT_STEP) {
        event->flags = (uint8_t)(op->flags % BPOR_FLAG_ORDER + (op->circles ? BPOR_FLAG_CIRCLE : 0));
        event->enabled = bpor->enabled.word[0];
        event->hash = bpor->hash;
    }
    publish();
}

static void emit_offer(const struct operation *op)
{
    struct bpor_event *event = new_event(BPOR_EVENT_OFFER, BPOR_NO_THREAD);
    event->value = op->offered;
    event->target = (uint16_t)bpor->alternative;
    event->site = op->source;
    publish();
}

void bpor_emit_step(const struct thread *thread)
{
    if (!wanted())
        return;
    if (!set_empty(&bpor->timed))
        emit_set(BPOR_EVENT_TIMED, &bpor->timed, bpor->timed.word[0]);
    if (bpor->threads > 64)
        emit_set(BPOR_EVENT_ENABLED, &bpor->enabled, 0);
    if (thread->op.offered > 1)
        emit_offer(&thread->op);
    emit_operation(BPOR_EVENT_STEP, thread);
}

static void emit_word(uint64_t where, uint64_t word)
{
    struct bpor_event *event = new_event(BPOR_EVENT_FRAME, bpor_self->id);
    event->flags = 1;
    event->site = where;
    event->value = word;
    publish();
}

/* An access has room for two values: its object, and its size and kind. */
static struct bpor_access two_values(uint64_t first, uint64_t second)
{
    return (struct bpor_access){.object = first, .size = (uint32_t)second, .write = (uint32_t)(second >> 32)};
}

static void emit_frame(const struct told_frame *frame)
{
    struct bpor_event *event = new_event(BPOR_EVENT_FRAME, bpor_self->id);
    event->site = frame->address;
    event->value = frame->pointer;
    event->enabled = frame->rbx;
    event->access[0] = two_values(frame->rbp, frame->r14);
    event->access[1] = two_values(frame->r12, frame->r15);
    event->access[2].object = frame->r13;
    publish();
}

/* Steps of an execution in which the words of stacks are told: an object has its name from its first uses, and an execution may
 * be tens of thousands of steps long. */
enum { WORDS_TOLD = 2048 };

static void emit_stack(bool with_words)
{
    uintptr_t innermost = bpor_told_frames(emit_frame);
    if (innermost && with_words) {
        bpor_told_words(innermost, emit_word);
        bpor_told_static_words(emit_word);
    }
}

static void emit_script(struct thread *thread)
{
    const struct script_frame *frame;
    bpor_script_note(thread);
    for (unsigned i = 0; (frame = bpor_script_frame(thread, i)) != NULL; i++) {
        struct bpor_event *event = new_event(BPOR_EVENT_SCRIPT, thread->id);
        event->site = frame->text;
        event->value = frame->line;
        publish();
    }
}

/* The state in which reporting begins is told whole, by bpor_emit_first_state. */
static bool wanted_after_step(void)
{
    return bpor->plan.report_from == 0 || bpor->steps > bpor->plan.report_from;
}

static bool waits(const struct thread *thread)
{
    return thread->state == THREAD_WAITING && !thread->left;
}

void bpor_emit_first_state(void)
{
    if (bpor->steps != bpor->plan.report_from || bpor->steps == 0)
        return;
    for (unsigned i = 0; i < bpor->threads; i++)
        if (waits(&bpor->thread[i]))
            emit_operation(BPOR_EVENT_PENDING, &bpor->thread[i]);
}

bool bpor_emit_identity(struct digest *told)
{
    struct digest identity = {0, 0};
    if (!(bpor->plan.flags & BPOR_PLAN_IDENTIFY) || !wanted())
        return false;
    const char *problem = bpor_identify(&identity);
    if (problem)
        strncpy(bpor->shared->unidentified, problem, sizeof bpor->shared->unidentified - 1);
    struct bpor_event *event = new_event(BPOR_EVENT_STATE, BPOR_NO_THREAD);
    event->value = identity.low;
    event->site = identity.high;
    publish();
    *told = identity;
    return !problem;
}

static void emit_changed(uintptr_t address, uint64_t now, uint64_t before, unsigned thread)
{
    struct bpor_event *event = new_event(BPOR_EVENT_CHANGED, thread);
    event->site = address;
    event->value = now;
    event->enabled = before;
    event->access[0].size = (uint32_t)bpor->steps;
    if (thread == BPOR_NO_THREAD) {
        uint64_t allocation_site;
        event->access[0].object = bpor_canonical(address, BPOR_CLASS_MEMORY, &allocation_site);
    }
    publish();
}

void bpor_emit_differences(void)
{
    bpor_differences_tell(emit_changed);
}

void bpor_emit_unseen(void)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        struct thread *thread = &bpor->thread[i];
        if (!waits(thread) || !thread->moved_unseen)
            continue;
        if (thread->told)
            bpor_end(BPOR_OUTCOME_REFUSED, 0,
                     "a thread that is explored was needed where nothing is: explore all of it, or less");
        if (wanted_after_step())
            emit_operation(BPOR_EVENT_PENDING, thread);
        thread->told = true;
        thread->moved_unseen = false;
    }
}

void bpor_emit_pending(struct thread *thread)
{
    thread->moved_unseen = bpor->unexplored;
    thread->told |= !bpor->unexplored;
    if (bpor->unexplored || thread->left || !wanted_after_step())
        return;
    if (describing()) {
        emit_stack(bpor->steps < WORDS_TOLD);
        emit_script(thread);
    } else if (bpor->shared->config.stacks) {
        bpor_told_frames(emit_frame);
    }
    emit_operation(BPOR_EVENT_PENDING, thread);
}

void bpor_emit_finished(const struct thread *thread)
{
    if (thread->left || !wanted_after_step())
        return;
    new_event(BPOR_EVENT_FINISHED, thread->id);
    publish();
}

void bpor_emit_place(uint64_t id, uintptr_t address, uint64_t allocation_site)
{
    if (!describing())
        return;
    const struct thread *owner = bpor_stack_owner(address);
    struct bpor_event *event = new_event(BPOR_EVENT_OBJECT, owner ? owner->id : BPOR_NO_THREAD);
    event->value = address;
    event->site = allocation_site;
    event->access[0].object = id;
    event->accesses = 1;
    publish();
}

void bpor_emit_object(const struct object *object, uint64_t allocation_site)
{
    bpor_emit_place(object->id, object->address, allocation_site);
}

void bpor_emit_name(uint64_t id, const char *kind, const char *name)
{
    uint32_t place = describing() ? bpor_script_keep(kind, name) : UINT32_MAX;
    if (place == UINT32_MAX)
        return;
    struct bpor_event *event = new_event(BPOR_EVENT_OBJECT, BPOR_NO_THREAD);
    event->flags = 1;
    event->site = place;
    event->access[0].object = id;
    event->accesses = 1;
    publish();
}

static void emit_hold(const struct object *object, unsigned thread, unsigned times)
{
    struct bpor_event *event = new_event(BPOR_EVENT_HELD, thread);
    event->value = times;
    event->access[0].object = object->id;
    event->accesses = 1;
    publish();
}

static void emit_held(struct object *object)
{
    if (object->family == FAMILY_PYTHON_LOCK)
        bpor_python_lock_reconcile(object);
    if (object->owner != BPOR_NO_THREAD)
        emit_hold(object, object->owner, 1);
    for (unsigned i = 0; i < bpor->threads; i++)
        if (bpor_rwlock_reads_held(object, i) > 0)
            emit_hold(object, i, bpor_rwlock_reads_held(object, i));
}

void bpor_emit_description(void)
{
    if (!describing())
        return;
    if (bpor_self)
        emit_stack(true); /* of the thread that ended it: no PENDING follows */
    bpor_objects_each(emit_held);
    for (unsigned i = 0; i < bpor->threads; i++) {
        struct bpor_event *event = new_event(BPOR_EVENT_THREAD, i);
        event->target = bpor->thread[i].creator;
        event->site = (uint64_t)bpor->thread[i].start;
        publish();
    }
    bpor_modules_write(bpor->shared->modules, sizeof bpor->shared->modules);
}

uint16_t bpor_ask(void)
{
    struct bpor_message answer;
    memcpy(bpor->shared->end.enabled, bpor->enabled.word, sizeof bpor->enabled.word);
    memcpy(bpor->shared->end.timed, bpor->timed.word, sizeof bpor->timed.word);
    bpor_send(BPOR_MESSAGE_ASK, bpor->steps, 0);
    if (sys_read(bpor->plan_fd, &answer, sizeof answer) != sizeof answer || answer.type != BPOR_MESSAGE_PICK)
        sys_exit_group(99);
    if (answer.a == BPOR_NO_THREAD)
        bpor_end(BPOR_OUTCOME_STOPPED, 0, "");
    unsigned thread = (unsigned)answer.a % BPOR_ALTERNATIVE;
    if (thread >= bpor->threads || !set_has(&bpor->enabled, thread))
        bpor_end(BPOR_OUTCOME_DIVERGED, (int)bpor->steps, "the thread picked is not enabled");
    bpor->alternative = (unsigned)answer.a / BPOR_ALTERNATIVE;
    return (uint16_t)thread;
}
