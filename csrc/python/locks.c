/* Calls of PyMutex_* and PyCriticalSection_* by instrumented modules, as operations (model/python_lock.c), then passed on when
 * they cannot block.
 *
 * A thread that has to wait is detached from the interpreter meanwhile, as it would be there, and its critical sections are
 * suspended with that, by the interpreter itself. Where the interpreter's function would take or free a lock that we wait for or
 * have freed already, the section holds a byte of ours in its place. */
#define _GNU_SOURCE
#include "python/locks.h"
#include "python/gil.h"
#include "python/objects.h"
#include "python/slots.h"
#include "runtime/real.h"
#include <dlfcn.h>

enum { MOST_NESTED = 64, OBJECT_BYTES = 64, MOST_SPINS = 64 };
enum { INACTIVE = 1, TWO = 2, TAGS = 3 }; /* of a pointer to a section */

/* The interpreter's PyCriticalSection and PyCriticalSection2; checked when the process stands at its fork point. */
struct section {
    uintptr_t previous; /* tagged */
    uint8_t *mutex;
    uint8_t *second; /* only of a PyCriticalSection2 */
};

static struct interpreter {
    void (*lock)(uint8_t *mutex);
    void (*unlock)(uint8_t *mutex);
    void (*begin)(struct section *section, void *object);
    void (*begin_two)(struct section *section, void *a, void *b);
    void (*end)(struct section *section);
    void (*end_two)(struct section *section);
    void *(*save)(void);
    void (*restore)(void *state);
    void *(*state)(void); /* NULL: this thread is not attached */
} python;

static size_t mutex_offset; /* in an object; 0: the interpreter has no critical sections */

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

/* ---- operations ---- */

static void add(struct lock_call *call, uint8_t *byte)
{
    if (byte == NULL)
        return;
    if (call->count == MOST_BYTES)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "a thread gives up more than 16 locks of critical sections at once");
    call->byte[call->count++] = byte;
}

static void add_section(struct lock_call *call, uintptr_t tagged)
{
    const struct section *section = untagged(tagged);
    if (section == NULL)
        return;
    add(call, section->mutex);
    if (tagged & TWO)
        add(call, section->second);
}

/* Those that the thread loses when it is detached. Once one is inactive, so are all outer ones. */
static void add_active(struct lock_call *call)
{
    for (uintptr_t section = innermost(); section && !(section & INACTIVE); section = untagged(section)->previous)
        add_section(call, section);
}

static bool step(enum operation_kind kind, struct lock_call *call, const void *site)
{
    struct operation *op = bpor_operation(kind, site);
    for (unsigned i = 0; i < call->count; i++) {
        struct object *lock = bpor_python_lock(call->byte[i]);
        bpor_python_lock_reconcile(lock);
        bpor_touch_object(op, lock, true);
    }
    op->argument = (int64_t)(uintptr_t)call;
    return bpor_step() == 0;
}

/* One try for the wanted locks. False: they are not all free, and the thread's sections are suspended. */
static bool try_lock(const struct lock_call *wanted, const void *site)
{
    struct lock_call call = *wanted;
    add_active(&call);
    return step(OP_PYMUTEX_TRYLOCK, &call, site);
}

static void wait_lock(struct lock_call *wanted, const void *site)
{
    wanted->wanted = wanted->count;
    step(OP_PYMUTEX_LOCK, wanted, site);
}

/* ---- PyMutex ---- */

static void our_lock(uint8_t *mutex)
{
    struct lock_call call = {.wanted = 1, .count = 1, .byte = {mutex}};
    void *state = NULL;
    bool tried = bpor_controlled() && innermost() != 0;
    if (!bpor_controlled() || (tried && try_lock(&call, CALL_SITE))) {
        python.lock(mutex);
        return;
    }
    if (python.state()) {
        add_section(&call, innermost()); /* resumed before it goes on */
        state = python.save();
    }
    wait_lock(&call, CALL_SITE);
    python.lock(mutex);
    if (state)
        python.restore(state);
}

static void our_unlock(uint8_t *mutex)
{
    struct lock_call call = {.count = 1, .byte = {mutex}};
    if (bpor_controlled())
        step(OP_PYMUTEX_UNLOCK, &call, CALL_SITE);
    python.unlock(mutex);
}

/* ---- critical sections ---- */

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
    void *state = python.save();
    wait_lock(call, site);
    for (unsigned i = 0; i < call->count; i++)
        python.lock(call->byte[i]);
    python.restore(state);
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
    if (try_lock(&call, CALL_SITE))
        python.begin(section, object);
    else
        begin_later(section, &call, CALL_SITE);
    push(section, false);
}

/* The interpreter takes the lower one first. */
static void our_begin_two(struct section *section, void *a, void *b)
{
    struct lock_call call = {.wanted = 2, .count = 2, .byte = {mutex_of(a < b ? a : b), mutex_of(a < b ? b : a)}};
    if (!bpor_controlled()) {
        python.begin_two(section, a, b);
        return;
    }
    if (a == b)
        call.wanted = call.count = 1;
    if (try_lock(&call, CALL_SITE)) {
        python.begin_two(section, a, b);
    } else {
        section->second = NULL;
        begin_later(section, &call, CALL_SITE);
    }
    push(section, a != b);
}

/* The outer section was suspended: it is resumed when its locks are free, and this one's are free already. */
static void end_and_resume(struct section *section, bool two, void (*end)(struct section *), const void *site)
{
    struct lock_call outer = {0};
    uint8_t stand_in = 0;
    python.unlock(section->mutex);
    if (two)
        python.unlock(section->second);
    python.lock(&stand_in);
    section->mutex = &stand_in;
    if (two)
        section->second = NULL;
    add_section(&outer, section->previous);
    void *state = python.save();
    wait_lock(&outer, site);
    python.restore(state);
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
    step(OP_PYMUTEX_UNLOCK, &call, site);
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
        add_active(&call);
        step(OP_PYMUTEX_UNLOCK, &call, CALL_SITE);
    }
    return python.save();
}

static void our_restore(void *state)
{
    struct lock_call call = {0};
    if (bpor_controlled() && innermost()) {
        add_section(&call, innermost());
        wait_lock(&call, CALL_SITE);
    }
    python.restore(state);
}

/* ---- at the fork point ---- */

#define SLOT(name, ours, field)                                                                                                  \
    {                                                                                                                            \
        name, (void *)(ours), (void **)&python.field                                                                             \
    }
static const struct slot mutexes[] = {
    SLOT("PyMutex_Lock", our_lock, lock),
    SLOT("PyMutex_Unlock", our_unlock, unlock),
};
static const struct slot sections[] = {
    SLOT("PyCriticalSection_Begin", our_begin, begin), SLOT("PyCriticalSection2_Begin", our_begin_two, begin_two),
    SLOT("PyCriticalSection_End", our_end, end),       SLOT("PyCriticalSection2_End", our_end_two, end_two),
    SLOT("PyEval_SaveThread", our_save, save),         SLOT("PyEval_RestoreThread", our_restore, restore),
};
enum { MUTEXES = sizeof mutexes / sizeof mutexes[0], SECTIONS = sizeof sections / sizeof sections[0] };

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
        bpor_end(BPOR_OUTCOME_REFUSED, 0,
                 "the interpreter's critical sections are of a kind that is not known; --gil none does without");
}

static bool find_functions(void)
{
    bpor_slots_find(mutexes, MUTEXES);
    bpor_slots_find(sections, SECTIONS);
    python.state = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyThreadState_GetUnchecked");
    return python.lock && python.unlock && python.save && python.restore && python.state;
}

void bpor_locks_watch(void)
{
    if (bpor->shared->config.gil == BPOR_GIL_NONE || !find_functions())
        return;
    bpor_slots_redirect(mutexes, MUTEXES);
    if (python.begin && python.begin_two && python.end && python.end_two)
        find_mutex();
    if (mutex_offset)
        bpor_slots_redirect(sections, SECTIONS);
}

/* It spins before it parks; in vain, because nobody else runs meanwhile. One that never parks is seen after a while. */
bool bpor_interpreter_spins(const void *site)
{
    static uint64_t since;
    static unsigned spins;
    if (!bpor_gil.free_threaded || !bpor_in_interpreter((uintptr_t)site))
        return false;
    if (since != bpor->shared->progress)
        spins = 0;
    since = bpor->shared->progress;
    return spins++ < MOST_SPINS;
}
