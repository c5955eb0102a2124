#define _GNU_SOURCE
#include "python/entries.h"
#include "memory/memory.h"
#include "python/gil.h"
#include "python/objects.h"
#include "python/switches.h"
#include <dlfcn.h>

enum { DEEPEST = 256 };

/* Innermost last. */
static struct entries {
    unsigned count;
    struct entry {
        unsigned depth; /* of instrumented calls */
        void *frame;
    } at[DEEPEST];
} entries[BPOR_MAX_THREADS];

static void *(*current_frame)(void);

void *bpor_entry_current(void)
{
    return current_frame();
}

static bool has_lock(const struct thread *thread)
{
    return bpor_gil.mutex && !bpor_gil_is_off() && bpor_gil.holder == thread->id;
}

void bpor_entry_note(struct thread *thread, const void *caller)
{
    struct entries *mine = &entries[thread->id];
    unsigned depth = bpor_call_depth(thread);
    if (!has_lock(thread) || !bpor_python_calls(caller))
        return;
    while (mine->count && mine->at[mine->count - 1].depth >= depth)
        mine->count--;
    if (mine->count == DEEPEST)
        return;
    bool was_shielded = thread->shielded;
    thread->shielded = true; /* a frame object is no allocation of the program */
    mine->at[mine->count++] = (struct entry){depth, bpor_entry_current()};
    thread->shielded = was_shielded;
}

void *bpor_entry_frame(const struct thread *thread)
{
    struct entries *mine = &entries[thread->id];
    while (mine->count && mine->at[mine->count - 1].depth > bpor_call_depth(thread))
        mine->count--;
    return mine->count ? mine->at[mine->count - 1].frame : NULL;
}

/* ---- Python's code (PEP 523) ---- */

typedef void *evaluate(void *state, void *frame, int throws);
static evaluate *evaluates;

/* Its frame is not there yet: this is the one of whoever calls it. */
static bool called_by_extension(void)
{
    return bpor_controlled() && !bpor->unexplored && bpor->threads > 1 && has_lock(bpor_self) && bpor_call_depth(bpor_self) > 0 &&
           bpor_entry_current() == bpor_entry_frame(bpor_self);
}

static void *our_evaluate(void *state, void *frame, int throws)
{
    if (!called_by_extension())
        return evaluates(state, frame, throws);
    bpor_gil_offer();
    bpor_switch_begin();
    void *result = evaluates(state, frame, throws);
    if (bpor_switch_end() && has_lock(bpor_self))
        bpor_gil_offer();
    return result;
}

void bpor_entries_watch(void)
{
    void *(*interpreter)(void) = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyInterpreterState_Get");
    evaluate *(*get)(void *) = (evaluate * (*)(void *)) dlsym(RTLD_DEFAULT, "_PyInterpreterState_GetEvalFrameFunc");
    void (*set)(void *, evaluate *) = (void (*)(void *, evaluate *))dlsym(RTLD_DEFAULT, "_PyInterpreterState_SetEvalFrameFunc");
    current_frame = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyEval_GetFrame");
    if (!interpreter || !get || !set || !bpor_gil.mutex || bpor_gil_is_off() || evaluates)
        return;
    bpor_python_calls(NULL); /* looks once, here */
    evaluates = get(interpreter());
    set(interpreter(), our_evaluate);
}
