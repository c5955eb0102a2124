#define _GNU_SOURCE
#include "python/gil.h"
#include "python/objects.h"
#include "python/pointers.h"
#include "python/switches.h"
#include "runtime/objects.h"
#include "runtime/real.h"
#include <dlfcn.h>

struct gil bpor_gil = {.holder = BPOR_NO_THREAD};

static void *(*save_thread)(void);
static void (*restore_thread)(void *);

/* ---- what one pair of calls does ---- */

enum action { LOCK, UNLOCK, SIGNAL };
enum { MOST_SEEN = 16, DROP = 3, PAIR = 8 };

static struct seen {
    enum action action;
    const void *part;
} seen[MOST_SEEN];
static unsigned seen_count;

static void note(enum action action, const void *part)
{
    if (seen_count < MOST_SEEN)
        seen[seen_count] = (struct seen){action, part};
    seen_count++;
}

/* Drop: lock, signal, unlock. Take: lock, then inside it lock, signal and unlock of the pair that forces a switch, unlock. */
static bool recognised(void)
{
    static const enum action expected[PAIR] = {LOCK, SIGNAL, UNLOCK, LOCK, LOCK, SIGNAL, UNLOCK, UNLOCK};
    if (seen_count != PAIR)
        return false;
    for (unsigned i = 0; i < PAIR; i++)
        if (seen[i].action != expected[i])
            return false;
    const void *mutex = seen[0].part, *inner = seen[DROP + 1].part;
    return seen[2].part == mutex && seen[DROP].part == mutex && seen[PAIR - 1].part == mutex && seen[PAIR - 2].part == inner &&
           inner != mutex;
}

static void *function(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

static const char *refusal;

void bpor_gil_refuse(const char *why)
{
    refusal = why;
}

void bpor_gil_begin_execution(void)
{
    if (refusal)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, refusal);
}

void bpor_gil_look(void)
{
    bool found = function("PyEval_SaveThread") != NULL;
    bpor_python_calls(NULL); /* looks symbols up, once: free() asks it, and must not */
    bpor_pointers_find();
    bpor_gil.interpreter = found;
    bpor_gil.free_threaded = function("_Py_MergeZeroLocalRefcount") != NULL; /* only these have it */
}

void bpor_gil_find(void)
{
    int (*holds_it)(void) = (int (*)(void))function("PyGILState_Check");
    save_thread = (void *(*)(void))function("PyEval_SaveThread");
    restore_thread = (void (*)(void *))function("PyEval_RestoreThread");
    if (bpor->shared->config.gil == BPOR_GIL_NONE || !holds_it || !save_thread || !restore_thread || !holds_it())
        return;
    bpor_gil_look();
    seen_count = 0;
    bpor_gil.watching = true;
    restore_thread(save_thread());
    bpor_gil.watching = false;
    bpor_gil.absent = seen_count == 0;
    bpor->shared->free_threaded = bpor_gil.absent;
    if (bpor_gil.absent)
        return;
    if (bpor_gil.free_threaded && bpor->shared->config.gil == BPOR_GIL_OFF)
        bpor_gil_refuse("the lock of a free-threaded interpreter is on, and need not be simulated to be off; set PYTHON_GIL=0");
    if (!recognised())
        bpor_gil_refuse("the interpreter's lock is of a kind that is not known; --gil none does without it");
    bpor_gil.mutex = seen[0].part;
    bpor_gil.condition = seen[1].part;
    bpor_gil.switch_mutex = seen[DROP + 1].part;
    bpor_gil.switch_condition = seen[DROP + 2].part;
    bpor_gil.holder = bpor_self->id;
}

bool bpor_gil_is_off(void)
{
    return bpor_gil.absent || (bpor_gil.mutex && bpor->shared->config.gil == BPOR_GIL_OFF);
}

/* ---- the calls, while executions run ---- */

static void gil_step(enum operation_kind kind, const void *site)
{
    struct operation *op = bpor_operation(kind, site);
    bpor_touch_object(op, bpor_object(bpor_gil.mutex, BPOR_CLASS_SYNC, FAMILY_GIL), true);
    bpor_step();
}

static void take(const void *site)
{
    if (bpor_gil_is_off())
        bpor_gil.holder = bpor_self->id; /* free: every thread that was left let go of it */
    else
        gil_step(OP_GIL_TAKE, site);
    bpor_switch_taken();
}

static void drop(const void *site)
{
    bpor_gil.dropping = false;
    if (bpor_gil_is_off())
        bpor_gil.holder = BPOR_NO_THREAD;
    else
        gil_step(OP_GIL_DROP, site);
}

int bpor_gil_lock(pthread_mutex_t *mutex, const void *site)
{
    if (bpor_gil.watching)
        note(LOCK, mutex);
    else if (bpor_controlled() && mutex == bpor_gil.mutex && bpor_gil.holder != bpor_self->id)
        take(site);
    return REAL(pthread_mutex_lock)(mutex);
}

int bpor_gil_unlock(pthread_mutex_t *mutex, const void *site)
{
    int error = REAL(pthread_mutex_unlock)(mutex);
    if (bpor_gil.watching)
        note(UNLOCK, mutex);
    else if (bpor_controlled() && mutex == bpor_gil.mutex && bpor_gil.dropping)
        drop(site);
    return error;
}

int bpor_gil_signal(pthread_cond_t *condition)
{
    if (bpor_gil.watching)
        note(SIGNAL, condition);
    else if (bpor_controlled() && condition == bpor_gil.condition && bpor_gil.holder == bpor_self->id)
        bpor_gil.dropping = true;
    return REAL(pthread_cond_signal)(condition);
}

/* ---- off: the interpreter still needs it, and gets it ---- */

void bpor_gil_offer(void)
{
    restore_thread(save_thread());
}

void bpor_gil_let_go(struct thread *thread)
{
    thread->python_state = NULL;
    if (bpor_gil.holder != thread->id || !bpor_gil_is_off())
        return;
    thread->python_state = save_thread();
    bpor_gil.holder = BPOR_NO_THREAD;
}

void bpor_gil_take_back(struct thread *thread)
{
    if (thread->python_state == NULL)
        return;
    restore_thread(thread->python_state);
    bpor_gil.holder = thread->id;
}
