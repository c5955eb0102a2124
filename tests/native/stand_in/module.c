/* Two counted objects and the ways to guard them, against the stand-in's locks. `check` expects every addition to have counted. */
#include <assert.h>
#include <stdint.h>

struct section {
    uintptr_t previous;
    uint8_t *mutex;
    uint8_t *second;
};
typedef struct {
    char header[32];
    long value;
} object;

void PyMutex_Lock(uint8_t *mutex);
void PyMutex_Unlock(uint8_t *mutex);
void PyCriticalSection_Begin(struct section *section, object *on);
void PyCriticalSection_End(struct section *section);
void PyCriticalSection2_Begin(struct section *section, object *a, object *b);
void PyCriticalSection2_End(struct section *section);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *state);

static object a, b;
static uint8_t first, second;
static long expected; /* of both values; atomic: it is not what is tested */

static void expect(long additions)
{
    __atomic_fetch_add(&expected, additions, __ATOMIC_RELAXED);
}

void check(void)
{
    assert(a.value + b.value == __atomic_load_n(&expected, __ATOMIC_RELAXED));
}

/* As the interpreter's headers have it. */
static void lock(uint8_t *mutex)
{
    uint8_t unlocked = 0;
    if (!__atomic_compare_exchange_n(mutex, &unlocked, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        PyMutex_Lock(mutex);
}

static void unlock(uint8_t *mutex)
{
    uint8_t locked = 1;
    if (!__atomic_compare_exchange_n(mutex, &locked, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        PyMutex_Unlock(mutex);
}

void unguarded(void)
{
    a.value++;
    expect(1);
}

void in_section(void)
{
    struct section section;
    PyCriticalSection_Begin(&section, &a);
    unguarded();
    PyCriticalSection_End(&section);
}

void in_both(void)
{
    struct section section;
    PyCriticalSection2_Begin(&section, &a, &b);
    b.value++;
    unguarded();
    PyCriticalSection2_End(&section);
    expect(1);
}

void in_both_the_same(void)
{
    struct section section;
    PyCriticalSection2_Begin(&section, &a, &a);
    unguarded();
    PyCriticalSection2_End(&section);
}

void under_mutex(void)
{
    lock(&first);
    unguarded();
    unlock(&first);
}

void under_called_mutex(void)
{
    PyMutex_Lock(&first);
    unguarded();
    PyMutex_Unlock(&first);
}

void around_another(void)
{
    struct section outer, inner;
    PyCriticalSection_Begin(&outer, &a);
    long seen = a.value;
    PyCriticalSection_Begin(&inner, &b);
    PyCriticalSection_End(&inner);
    a.value = seen + 1;
    PyCriticalSection_End(&outer);
    expect(1);
}

void inside_another(void)
{
    struct section outer;
    PyCriticalSection_Begin(&outer, &b);
    in_section();
    PyCriticalSection_End(&outer);
}

void around_a_rest(void)
{
    struct section section;
    PyCriticalSection_Begin(&section, &a);
    long seen = a.value;
    PyEval_RestoreThread(PyEval_SaveThread());
    a.value = seen + 1;
    PyCriticalSection_End(&section);
    expect(1);
}

void before_a_rest(void)
{
    struct section section;
    PyCriticalSection_Begin(&section, &a);
    unguarded();
    PyEval_RestoreThread(PyEval_SaveThread());
    PyCriticalSection_End(&section);
}

void after_another(void)
{
    struct section outer, inner;
    PyCriticalSection_Begin(&outer, &a);
    PyCriticalSection_Begin(&inner, &b);
    PyCriticalSection_End(&inner);
    unguarded();
    PyCriticalSection_End(&outer);
}

void one_after_another(void)
{
    struct section section;
    PyCriticalSection_Begin(&section, &b);
    PyCriticalSection_End(&section);
    in_section();
}

void one_way(void)
{
    lock(&first);
    lock(&second);
    unlock(&second);
    unlock(&first);
}

void other_way(void)
{
    lock(&second);
    lock(&first);
    unlock(&first);
    unlock(&second);
}

void section_then_mutex(void)
{
    struct section section;
    PyCriticalSection_Begin(&section, &a);
    under_mutex();
    PyCriticalSection_End(&section);
}

void mutex_then_section(void)
{
    lock(&first);
    in_section();
    unlock(&first);
}
