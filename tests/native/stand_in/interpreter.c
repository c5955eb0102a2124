/* Stands in for a free-threaded interpreter: threads that call two functions of a module, and locks that abort where the real ones
 * would block, so that whoever waits has to wait before the call.
 *
 *     python3 RUNNER MODULE FUNCTION FUNCTION */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOCKED = 1, INACTIVE = 1, TWO = 2, TAGS = 3, MUTEX_OFFSET = 10 };

struct section {
    uintptr_t previous;
    uint8_t *mutex;
    uint8_t *second;
};
static __thread uintptr_t top;
static __thread int detached;

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

void PyMutex_Lock(uint8_t *mutex)
{
    must(!(*mutex & LOCKED), "the interpreter would block");
    *mutex = LOCKED;
}

void PyMutex_Unlock(uint8_t *mutex)
{
    must(*mutex & LOCKED, "unlocked twice");
    *mutex = 0;
}

static void change(uintptr_t tagged, void (*act)(uint8_t *))
{
    struct section *section = (struct section *)(tagged & ~(uintptr_t)TAGS);
    act(section->mutex);
    if (tagged & TWO && section->second)
        act(section->second);
}

void *PyEval_SaveThread(void)
{
    must(!detached, "detached twice");
    detached = 1;
    for (uintptr_t *section = &top; *section && !(*section & INACTIVE);) {
        change(*section, PyMutex_Unlock);
        *section |= INACTIVE;
        section = &((struct section *)(*section & ~(uintptr_t)TAGS))->previous;
    }
    return &top;
}

static void resume(void)
{
    if (top & INACTIVE) {
        change(top, PyMutex_Lock);
        top &= ~(uintptr_t)INACTIVE;
    }
}

void PyEval_RestoreThread(void *state)
{
    must(detached && state == &top, "attached twice");
    detached = 0;
    resume();
}

void *PyThreadState_GetUnchecked(void)
{
    return detached ? NULL : &top;
}

int PyGILState_Check(void)
{
    return !detached;
}

void PyCriticalSection_Begin(struct section *section, uint8_t *object)
{
    PyMutex_Lock(object + MUTEX_OFFSET);
    section->mutex = object + MUTEX_OFFSET;
    section->previous = top;
    top = (uintptr_t)section;
}

void PyCriticalSection2_Begin(struct section *section, uint8_t *a, uint8_t *b)
{
    section->second = NULL;
    PyCriticalSection_Begin(section, a < b ? a : b);
    if (a == b)
        return;
    PyMutex_Lock((a < b ? b : a) + MUTEX_OFFSET);
    section->second = (a < b ? b : a) + MUTEX_OFFSET;
    top |= TWO;
}

static void pop(struct section *section)
{
    must((top & ~(uintptr_t)TAGS) == (uintptr_t)section && !(top & INACTIVE), "not the innermost section");
    change(top, PyMutex_Unlock);
    top = section->previous;
    resume();
}

void PyCriticalSection_End(struct section *section)
{
    pop(section);
}

void PyCriticalSection2_End(struct section *section)
{
    pop(section);
}

/* By which the controller knows such an interpreter. */
void _Py_MergeZeroLocalRefcount(void)
{
}

static void *call(void *function)
{
    ((void (*)(void))function)();
    must(top == 0 && !detached, "left inside a section");
    return NULL;
}

int main(int count, char **words)
{
    must(count == 5 && getenv("PYTHON_GIL"), "not started as a free-threaded interpreter is");
    void *module = dlopen(words[2], RTLD_NOW);
    must(module != NULL, "no such module");
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, call, dlsym(module, words[3 + i]));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ((void (*)(void))dlsym(module, "check"))();
    return 0;
}
