/* A counter and the ways to guard it in a free-threaded interpreter, right and wrong. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject ob_base;
    long value;
} Counter;

static PyMutex first, second;

static PyObject *done(void)
{
    Py_RETURN_NONE;
}

static PyObject *add_unguarded(PyObject *self, PyObject *unused)
{
    (void)unused;
    ((Counter *)self)->value++;
    return done();
}

static PyObject *add_in_section(PyObject *self, PyObject *unused)
{
    (void)unused;
    Py_BEGIN_CRITICAL_SECTION(self);
    ((Counter *)self)->value++;
    Py_END_CRITICAL_SECTION();
    return done();
}

static PyObject *add_under_mutex(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyMutex_Lock(&first);
    ((Counter *)self)->value++;
    PyMutex_Unlock(&first);
    return done();
}

/* From 3.14 on a section may be one of mutexes. */
#ifndef Py_BEGIN_CRITICAL_SECTION_MUTEX
#define Py_BEGIN_CRITICAL_SECTION_MUTEX(mutex) PyMutex_Lock(mutex)
#define END_MUTEX_SECTION(mutex) PyMutex_Unlock(mutex)
#else
#define END_MUTEX_SECTION(mutex) Py_END_CRITICAL_SECTION()
#endif
#ifndef Py_BEGIN_CRITICAL_SECTION2_MUTEX
#define Py_BEGIN_CRITICAL_SECTION2_MUTEX(a, b) (PyMutex_Lock(&first), PyMutex_Lock(&second))
#define END_MUTEXES_SECTION() (PyMutex_Unlock(&second), PyMutex_Unlock(&first))
#else
#define END_MUTEXES_SECTION() Py_END_CRITICAL_SECTION2()
#endif
static PyObject *add_in_section_of_mutex(PyObject *self, PyObject *unused)
{
    (void)unused;
    Py_BEGIN_CRITICAL_SECTION_MUTEX(&first);
    ((Counter *)self)->value++;
    END_MUTEX_SECTION(&first);
    return done();
}

static PyObject *add_in_section_of_two(PyObject *self, PyObject *unused)
{
    (void)unused;
    Py_BEGIN_CRITICAL_SECTION2_MUTEX(&second, &first);
    ((Counter *)self)->value++;
    END_MUTEXES_SECTION();
    return done();
}

static PyObject *add_to_both(PyObject *self, PyObject *other)
{
    Py_BEGIN_CRITICAL_SECTION2(self, other);
    ((Counter *)self)->value++;
    ((Counter *)other)->value++;
    Py_END_CRITICAL_SECTION2();
    return done();
}

/* An inner section may suspend the outer one: what was read before it is old after it. */
static PyObject *add_around(PyObject *self, PyObject *other)
{
    Py_BEGIN_CRITICAL_SECTION(self);
    long seen = ((Counter *)self)->value;
    Py_BEGIN_CRITICAL_SECTION(other);
    Py_END_CRITICAL_SECTION();
    ((Counter *)self)->value = seen + 1;
    Py_END_CRITICAL_SECTION();
    return done();
}

static PyObject *add_inside(PyObject *self, PyObject *other)
{
    Py_BEGIN_CRITICAL_SECTION(self);
    Py_BEGIN_CRITICAL_SECTION(other);
    ((Counter *)other)->value++;
    Py_END_CRITICAL_SECTION();
    Py_END_CRITICAL_SECTION();
    return done();
}

/* So does a thread that lets others run. */
static PyObject *add_and_rest(PyObject *self, PyObject *unused)
{
    (void)unused;
    Py_BEGIN_CRITICAL_SECTION(self);
    long seen = ((Counter *)self)->value;
    Py_BEGIN_ALLOW_THREADS Py_END_ALLOW_THREADS((Counter *)self)->value = seen + 1;
    Py_END_CRITICAL_SECTION();
    return done();
}

static PyObject *in_this_order(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    PyMutex_Lock(&first);
    PyMutex_Lock(&second);
    PyMutex_Unlock(&second);
    PyMutex_Unlock(&first);
    return done();
}

static PyObject *in_the_other(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    PyMutex_Lock(&second);
    PyMutex_Lock(&first);
    PyMutex_Unlock(&first);
    PyMutex_Unlock(&second);
    return done();
}

static PyObject *section_then_mutex(PyObject *self, PyObject *unused)
{
    Py_BEGIN_CRITICAL_SECTION(self);
    add_under_mutex(self, unused);
    Py_END_CRITICAL_SECTION();
    return done();
}

static PyObject *mutex_then_section(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyMutex_Lock(&first);
    Py_BEGIN_CRITICAL_SECTION(self);
    ((Counter *)self)->value++;
    Py_END_CRITICAL_SECTION();
    PyMutex_Unlock(&first);
    return done();
}

/* Another thread that uses `other` in Python meanwhile waits inside the interpreter. */
static PyObject *add_holding(PyObject *self, PyObject *other)
{
    Py_BEGIN_CRITICAL_SECTION(other);
    add_under_mutex(self, NULL);
    Py_END_CRITICAL_SECTION();
    return done();
}

/* Its own list or the one that another thread was first to put there; in that case its own ends here. */
static PyObject *keep_one(PyObject *self, PyObject *dict)
{
    PyObject *fresh = PyList_New(0);
    PyObject *kept = fresh ? PyDict_SetDefault(dict, self, fresh) : NULL;
    Py_XINCREF(kept);
    Py_XDECREF(fresh);
    return kept;
}

/* Counts a reference of an object that another thread made, and one of its own. */
static PyObject *itself(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *made = PyLong_FromLong(1 << 20);
    Py_INCREF(made);
    Py_DECREF(made);
    Py_DECREF(made);
    return Py_NewRef(self);
}

static PyObject *value(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLong(((Counter *)self)->value);
}

static PyMethodDef methods[] = {
    {"add_unguarded", add_unguarded, METH_NOARGS, NULL},
    {"add_in_section", add_in_section, METH_NOARGS, NULL},
    {"add_in_section_of_mutex", add_in_section_of_mutex, METH_NOARGS, NULL},
    {"add_in_section_of_two", add_in_section_of_two, METH_NOARGS, NULL},
    {"add_under_mutex", add_under_mutex, METH_NOARGS, NULL},
    {"add_to_both", add_to_both, METH_O, NULL},
    {"add_around", add_around, METH_O, NULL},
    {"add_inside", add_inside, METH_O, NULL},
    {"add_and_rest", add_and_rest, METH_NOARGS, NULL},
    {"in_this_order", in_this_order, METH_NOARGS, NULL},
    {"in_the_other", in_the_other, METH_NOARGS, NULL},
    {"section_then_mutex", section_then_mutex, METH_NOARGS, NULL},
    {"mutex_then_section", mutex_then_section, METH_NOARGS, NULL},
    {"add_holding", add_holding, METH_O, NULL},
    {"itself", itself, METH_NOARGS, NULL},
    {"keep_one", keep_one, METH_O, NULL},
    {"value", value, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {"locked.Counter", sizeof(Counter), 0, Py_TPFLAGS_DEFAULT, slots};

static int fill(PyObject *module)
{
    return PyModule_AddObject(module, "Counter", PyType_FromSpec(&spec));
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, fill},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "locked", .m_slots = module_slots};

PyMODINIT_FUNC PyInit_locked(void)
{
    return PyModuleDef_Init(&definition);
}
