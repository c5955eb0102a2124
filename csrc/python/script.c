#define _GNU_SOURCE
#include "python/script.h"
#include "python/gil.h"
#include <dlfcn.h>
#include <string.h>

enum { MOST_FRAMES = 12 };

static struct script {
    unsigned depth; /* of instrumented calls */
    unsigned frames;
    struct script_frame frame[MOST_FRAMES];
} script[BPOR_MAX_THREADS];

/* The interpreter's public functions, by name. */
static struct python {
    int (*has_interpreter)(void);
    void *(*frame)(void);
    void *(*back)(void *frame);
    void *(*code)(void *frame);
    int (*line)(void *frame);
    void *(*attribute)(void *object, const char *name);
    const char *(*text)(void *string);
    void (*forget)(void *object);
} python;

/* Once per process: a described execution asks at every operation. */
static bool find_functions(void)
{
    static bool looked, all;
    if (looked)
        return all;
    looked = true;
#define FIND(field, name) python.field = (__typeof__(python.field))dlsym(RTLD_DEFAULT, name)
    FIND(has_interpreter, "PyGILState_Check");
    FIND(frame, "PyEval_GetFrame");
    FIND(back, "PyFrame_GetBack");
    FIND(code, "PyFrame_GetCode");
    FIND(line, "PyFrame_GetLineNumber");
    FIND(attribute, "PyObject_GetAttrString");
    FIND(text, "PyUnicode_AsUTF8");
    FIND(forget, "Py_DecRef");
#undef FIND
    all = python.has_interpreter && python.frame && python.back && python.code && python.line && python.attribute &&
          python.text && python.forget;
    return all;
}

uint32_t bpor_script_keep(const char *function, const char *file)
{
    char *area = bpor->shared->scripts, line[sizeof bpor->shared->end.message];
    size_t room = sizeof bpor->shared->scripts, used = strnlen(area, room);
    size_t length = strlen(function) + 1 + strlen(file) + 1;
    if (length + 1 > sizeof line)
        return UINT32_MAX;
    strcpy(stpcpy(stpcpy(stpcpy(line, function), " "), file), "\n");
    const char *known = strstr(area, line);
    if (known && (known == area || known[-1] == '\n'))
        return (uint32_t)(known - area);
    if (used + length + 1 > room)
        return UINT32_MAX;
    memcpy(area + used, line, length + 1);
    return (uint32_t)used;
}

static void keep_frame(struct script *into, void *frame)
{
    void *code = python.code(frame);
    void *file = python.attribute(code, "co_filename"), *function = python.attribute(code, "co_name");
    const char *file_text = file ? python.text(file) : NULL, *function_text = function ? python.text(function) : NULL;
    uint32_t text = file_text && function_text ? bpor_script_keep(function_text, file_text) : UINT32_MAX;
    if (text != UINT32_MAX)
        into->frame[into->frames++] = (struct script_frame){text, (uint32_t)python.line(frame)};
    if (file)
        python.forget(file);
    if (function)
        python.forget(function);
    python.forget(code);
}

static void walk(struct script *into)
{
    void *frame = python.frame(), *outer;
    bool borrowed = true;
    for (into->frames = 0; frame && into->frames < MOST_FRAMES; frame = outer, borrowed = false) {
        keep_frame(into, frame);
        outer = python.back(frame);
        if (!borrowed)
            python.forget(frame);
    }
    if (frame && !borrowed)
        python.forget(frame);
}

static bool wanted(void)
{
    return (bpor_gil.mutex || bpor_gil.absent) && bpor->forked && bpor->plan.flags & BPOR_PLAN_DESCRIBE;
}

void bpor_script_note(struct thread *thread)
{
    struct script *mine = &script[thread->id];
    if (!wanted() || !find_functions())
        return;
    bool was_shielded = thread->shielded;
    thread->shielded = true; /* what the interpreter allocates for this is no allocation of the program */
    if ((bpor_gil.absent || bpor_gil.holder == thread->id) && python.has_interpreter())
        walk(mine);
    else if (mine->depth == 0)
        mine->frames = 0;
    thread->shielded = was_shielded;
}

void bpor_script_entered(struct thread *thread)
{
    if (wanted() && script[thread->id].depth++ == 0)
        bpor_script_note(thread);
}

void bpor_script_left(struct thread *thread)
{
    if (wanted() && script[thread->id].depth > 0)
        script[thread->id].depth--;
}

const struct script_frame *bpor_script_frame(const struct thread *thread, unsigned number)
{
    const struct script *mine = &script[thread->id];
    return number < mine->frames ? &mine->frame[number] : NULL;
}
