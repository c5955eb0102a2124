/* Critical sections, as operations on the mutexes of their objects. The interpreter keeps them itself, in a stack per thread, and
 * suspends them when the thread is detached. Where its function would take or free a lock that we wait for or have freed already,
 * the section holds a byte of ours in its place. */
#include "python/gil.h"
#include "python/locks.h"
#include "python/slots.h"
#include "runtime/real.h"

enum { MOST_NESTED = 64, OBJECT_BYTES = 64 };
enum { INACTIVE = 1, TWO = 2, TAGS = 3 }; /* of a pointer to a section */

/* The interpreter's PyCriticalSection and PyCriticalSection2; checked when the process stands at its fork point. */
struct section {
    uintptr_t previous; /* tagged */
    uint8_t *mutex;
    uint8_t *second; /* only of a PyCriticalSection2 */
};

static struct {
    void (*begin)(struct section *section, void *object);
    void (*begin_two)(struct section *section, void *a, void *b);
    void (*begin_mutex)(struct section *section, uint8_t *mutex); /* from 3.14 on, as the next */
    void (*begin_mutexes)(struct section *section, uint8_t *a, uint8_t *b);
    void (*end)(struct section *section);
    void (*end_two)(struct section *section);
    void *(*save)(void);
    void (*restore)(void *state);
} python;

static size_t mutex_offset; /* in an object */

/* Sections that instrumented code has begun, innermost last; pointers tagged with TWO. */
static struct nest {
    unsigned depth;
    uintptr_t at[MOST_NESTED];
} nests[BPOR_MAX_THREADS];

static struct section *untagged(uintptr_t section)
{
    return (struct section *)(section & ~(uintptr_t)TAGS);
}

static uintptr_t innermost(void)
{
    const struct nest *mine = &nests[bpor_self->id];
    return mine->depth ? mine->at[mine->depth - 1] : 0;
}

bool bpor_sections_any(void)
{
    return innermost() != 0;
}

static void add_section(struct lock_call *call, uintptr_t tagged)
{
    const struct section *section = untagged(tagged);
    if (section == NULL)
        return;
    bpor_lock_add(call, section->mutex);
    if (tagged & TWO)
        bpor_lock_add(call, section->second);
}

/* Once one is inactive, so are all outer ones. */
void bpor_sections_add_active(struct lock_call *call)
{
    for (uintptr_t section = innermost(); section && !(section & INACTIVE); section = untagged(section)->previous)
        add_section(call, section);
}

void bpor_sections_add_innermost(struct lock_call *call)
{
    add_section(call, innermost());
}

static uint8_t *mutex_of(void *object)
{
    return (uint8_t *)object + mutex_offset;
}

static void push(struct section *section, bool two)
{
    struct nest *mine = &nests[bpor_self->id];
    if (mine->depth == MOST_NESTED)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 64 critical sections, one inside the other");
    mine->at[mine->depth++] = (uintptr_t)section | (two ? TWO : 0);
}

/* Begun with stand-ins, so that the section is there, and suspended, while its locks are waited for. */
static void begin_later(struct section *section, struct lock_call *call, const void *site)
{
    char stand_in[2][OBJECT_BYTES] = {{0}};
    if (call->count == 2)
        python.begin_two(section, stand_in[0], stand_in[1]);
    else
        python.begin(section, stand_in[0]);
    void *state = bpor_interpreter.save();
    bpor_lock_wait(call, site);
    for (unsigned i = 0; i < call->count; i++)
        bpor_interpreter.lock(call->byte[i]);
    bpor_interpreter.restore(state);
    section->mutex = call->byte[0];
    if (call->count == 2)
        section->second = call->byte[1];
}

static void our_begin(struct section *section, void *object)
{
    struct lock_call call = {.wanted = 1, .count = 1, .byte = {mutex_of(object)}};
    if (!bpor_controlled()) {
        python.begin(section, object);
        return;
    }
    if (bpor_lock_try(&call, CALL_SITE))
        python.begin(section, object);
    else
        begin_later(section, &call, CALL_SITE);
    push(section, false);
}

static void our_begin_mutex(struct section *section, uint8_t *mutex)
{
    struct lock_call call = {.wanted = 1, .count = 1, .byte = {mutex}};
    if (!bpor_controlled()) {
        python.begin_mutex(section, mutex);
        return;
    }
    if (bpor_lock_try(&call, CALL_SITE))
        python.begin_mutex(section, mutex);
    else
        begin_later(section, &call, CALL_SITE);
    push(section, false);
}

/* The interpreter takes the lower one first. */
static struct lock_call call_of_two(uint8_t *a, uint8_t *b)
{
    unsigned count = a == b ? 1 : 2;
    return (struct lock_call){.wanted = count, .count = count, .byte = {a < b ? a : b, a < b ? b : a}};
}

static void begin_two_later(struct section *section, struct lock_call *call, const void *site)
{
    section->second = NULL;
    begin_later(section, call, site);
}

static void our_begin_two(struct section *section, void *a, void *b)
{
    struct lock_call call = call_of_two(mutex_of(a), mutex_of(b));
    if (!bpor_controlled()) {
        python.begin_two(section, a, b);
        return;
    }
    if (bpor_lock_try(&call, CALL_SITE))
        python.begin_two(section, a, b);
    else
        begin_two_later(section, &call, CALL_SITE);
    push(section, a != b);
}

static void our_begin_mutexes(struct section *section, uint8_t *a, uint8_t *b)
{
    struct lock_call call = call_of_two(a, b);
    if (!bpor_controlled()) {
        python.begin_mutexes(section, a, b);
        return;
    }
    if (bpor_lock_try(&call, CALL_SITE))
        python.begin_mutexes(section, a, b);
    else
        begin_two_later(section, &call, CALL_SITE);
    push(section, a != b);
}

/* The outer section was suspended: it is resumed when its locks are free, and this one's are free already. */
static void end_and_resume(struct section *section, bool two, void (*end)(struct section *), const void *site)
{
    struct lock_call outer = {0};
    uint8_t stand_in = 0;
    bpor_interpreter.unlock(section->mutex);
    if (two)
        bpor_interpreter.unlock(section->second);
    bpor_interpreter.lock(&stand_in);
    section->mutex = &stand_in;
    if (two)
        section->second = NULL;
    add_section(&outer, section->previous);
    void *state = bpor_interpreter.save();
    bpor_lock_wait(&outer, site);
    bpor_interpreter.restore(state);
    end(section);
}

static void finish(struct section *section, void (*end)(struct section *), const void *site)
{
    uintptr_t tagged = bpor_controlled() ? innermost() : 0;
    struct lock_call call = {0};
    if (untagged(tagged) != section) { /* begun where nothing was controlled */
        end(section);
        return;
    }
    add_section(&call, tagged);
    nests[bpor_self->id].depth--;
    bpor_lock_step(OP_PYMUTEX_UNLOCK, &call, site);
    if (section->previous & INACTIVE)
        end_and_resume(section, tagged & TWO, end, site);
    else
        end(section);
}

static void our_end(struct section *section)
{
    finish(section, python.end, CALL_SITE);
}

static void our_end_two(struct section *section)
{
    finish(section, python.end_two, CALL_SITE);
}

/* ---- Py_BEGIN_ALLOW_THREADS suspends, Py_END_ALLOW_THREADS resumes the innermost ---- */

static void *our_save(void)
{
    struct lock_call call = {0};
    if (bpor_controlled() && innermost()) {
        bpor_sections_add_active(&call);
        bpor_lock_step(OP_PYMUTEX_UNLOCK, &call, CALL_SITE);
    }
    return bpor_interpreter.save();
}

static void our_restore(void *state)
{
    struct lock_call call = {0};
    if (bpor_controlled() && innermost()) {
        add_section(&call, innermost());
        bpor_lock_wait(&call, CALL_SITE);
    }
    bpor_interpreter.restore(state);
}

/* ---- at the fork point ---- */

static const struct slot sections[] = {
    {"PyCriticalSection_Begin", (void *)our_begin, (void **)&python.begin},
    {"PyCriticalSection2_Begin", (void *)our_begin_two, (void **)&python.begin_two},
    {"PyCriticalSection_BeginMutex", (void *)our_begin_mutex, (void **)&python.begin_mutex},
    {"PyCriticalSection2_BeginMutex", (void *)our_begin_mutexes, (void **)&python.begin_mutexes},
    {"PyCriticalSection_End", (void *)our_end, (void **)&python.end},
    {"PyCriticalSection2_End", (void *)our_end_two, (void **)&python.end_two},
    {"PyEval_SaveThread", (void *)our_save, (void **)&python.save},
    {"PyEval_RestoreThread", (void *)our_restore, (void **)&python.restore},
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

/* Where an object's mutex lies, from what a section on a stand-in does to it. Nothing at all where there is a global lock. */
static void find_mutex(void)
{
    struct section section[2] = {{0}};
    uint8_t object[OBJECT_BYTES] = {0};
    size_t offset = 0;
    python.begin(section, object);
    while (offset < OBJECT_BYTES && object[offset] == 0)
        offset++;
    bool known = offset < OBJECT_BYTES && section->mutex == &object[offset];
    python.end(section);
    if (known)
        mutex_offset = offset;
    else if (offset < OBJECT_BYTES)
        bpor_gil_refuse("the interpreter's critical sections are of a kind that is not known; --gil none does without");
}

void bpor_sections_watch(void)
{
    bpor_slots_find(sections, SECTIONS);
    if (python.begin && python.begin_two && python.end && python.end_two)
        find_mutex();
    if (mutex_offset)
        bpor_slots_redirect(sections, SECTIONS);
}
