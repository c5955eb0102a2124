/* An extension with one bug for every kind of finding; `safe` has none. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>

#define UNUSED __attribute__((unused))
#define FUNCTION(name) static PyObject *name(UNUSED PyObject *self, UNUSED PyObject *none)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int *block, *place;
static int somewhere;

FUNCTION(split) /* an update in two halves, with the GIL released in between */
{
    long seen = total;
    Py_BEGIN_ALLOW_THREADS;
    Py_END_ALLOW_THREADS;
    total = seen + 1;
    Py_RETURN_NONE;
}

FUNCTION(safe)
{
    Py_BEGIN_ALLOW_THREADS;
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

FUNCTION(racy)
{
    Py_BEGIN_ALLOW_THREADS;
    total++;
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

FUNCTION(get)
{
    return PyLong_FromLong(total);
}

FUNCTION(gil_then_lock)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    Py_RETURN_NONE;
}

FUNCTION(lock_then_gil)
{
    Py_BEGIN_ALLOW_THREADS;
    pthread_mutex_lock(&lock);
    Py_BLOCK_THREADS;
    Py_UNBLOCK_THREADS;
    pthread_mutex_unlock(&lock);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

FUNCTION(acquire)
{
    block = malloc(sizeof *block);
    *block = 1;
    Py_RETURN_NONE;
}

FUNCTION(give_back)
{
    pthread_mutex_lock(&lock);
    free(block);
    pthread_mutex_unlock(&lock);
    Py_RETURN_NONE;
}

FUNCTION(use)
{
    Py_BEGIN_ALLOW_THREADS;
    pthread_mutex_lock(&lock);
    somewhere = *block;
    pthread_mutex_unlock(&lock);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

FUNCTION(forget)
{
    place = NULL;
    Py_RETURN_NONE;
}

FUNCTION(follow)
{
    place = &somewhere;
    Py_BEGIN_ALLOW_THREADS;
    Py_END_ALLOW_THREADS;
    return PyLong_FromLong(*place);
}

FUNCTION(spin)
{
    Py_BEGIN_ALLOW_THREADS;
    for (volatile int i = 0;; i++)
        continue;
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

FUNCTION(count) /* right with the GIL, wrong without */
{
    total++;
    Py_RETURN_NONE;
}

static struct {
    long count;
    PyObject *label; /* whatever this is, what stands before it is no reference count */
} labelled;

FUNCTION(count_labelled)
{
    labelled.count++;
    Py_RETURN_NONE;
}

FUNCTION(labelled_count)
{
    return PyLong_FromLong(labelled.count);
}

static PyObject *put(UNUSED PyObject *self, PyObject *number)
{
    total = PyLong_AsLong(number);
    Py_RETURN_NONE;
}

static PyObject *call(UNUSED PyObject *self, PyObject *function)
{
    return PyObject_CallNoArgs(function);
}

/* Adds one by two functions; whatever they are, nobody comes in between. */
static PyObject *add_by(UNUSED PyObject *self, PyObject *arguments)
{
    PyObject *get, *put;
    if (!PyArg_ParseTuple(arguments, "OO", &get, &put))
        return NULL;
    PyObject *number = PyObject_CallNoArgs(get);
    PyObject *more = PyLong_FromLong(PyLong_AsLong(number) + 1), *result = PyObject_CallOneArg(put, more);
    Py_DECREF(number);
    Py_DECREF(more);
    return result;
}

/* What it has read is old when the function of Python comes back. */
static PyObject *add_around(UNUSED PyObject *self, PyObject *function)
{
    long seen = total;
    Py_XDECREF(PyObject_CallNoArgs(function));
    total = seen + 1;
    Py_RETURN_NONE;
}

/* As Cython does: the interpreter's function, from a slot of the type. */
static PyObject *next_by_slot(PyObject *module, PyObject *iterator)
{
    (void)module;
    PyObject *item = Py_TYPE(iterator)->tp_iternext(iterator);
    return item || PyErr_Occurred() ? item : Py_NewRef(Py_None);
}

static PyMethodDef made[] = {{"get", get, METH_NOARGS, NULL}, {"put", put, METH_O, NULL}};

FUNCTION(make_functions) /* that no module and no type has */
{
    return Py_BuildValue("NN", PyCFunction_New(&made[0], NULL), PyCFunction_New(&made[1], NULL));
}

static void *call_in_thread(void *function)
{
    PyGILState_STATE state = PyGILState_Ensure();
    Py_XDECREF(PyObject_CallNoArgs(function));
    PyGILState_Release(state);
    return NULL;
}

static PyObject *call_twice(UNUSED PyObject *self, PyObject *function) /* in threads of its own */
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, call_in_thread, function);
    Py_BEGIN_ALLOW_THREADS;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

/* The total, four times: each time what it is then. */
typedef struct {
    PyObject_HEAD int given;
} Readings;

static PyObject *next_reading(PyObject *self)
{
    return ((Readings *)self)->given++ < 4 ? PyLong_FromLong(total) : NULL;
}

static PyObject *all_readings(UNUSED PyObject *self) /* an iterator of its own, as a container gives it */
{
    return PyObject_CallNoArgs((PyObject *)Py_TYPE(self));
}

static PyTypeObject readings = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "probe.Readings",
    .tp_basicsize = sizeof(Readings),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_iter = all_readings,
    .tp_iternext = next_reading,
};

#define METHOD(name)                                                                                                             \
    {                                                                                                                            \
#name, name, METH_NOARGS, NULL                                                                                           \
    }
static PyMethodDef methods[] = {
    METHOD(split),
    {"next_by_slot", next_by_slot, METH_O, NULL},
    METHOD(safe),
    METHOD(racy),
    METHOD(get),
    METHOD(gil_then_lock),
    METHOD(lock_then_gil),
    METHOD(acquire),
    METHOD(give_back),
    METHOD(use),
    METHOD(forget),
    METHOD(follow),
    METHOD(spin),
    METHOD(count),
    METHOD(count_labelled),
    METHOD(labelled_count),
    METHOD(make_functions),
    {"put", put, METH_O, NULL},
    {"call", call, METH_O, NULL},
    {"add_by", add_by, METH_VARARGS, NULL},
    {"add_around", add_around, METH_O, NULL},
    {"call_twice", call_twice, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef probe = {PyModuleDef_HEAD_INIT, "probe", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_probe(void)
{
    labelled.label = PyUnicode_FromString("hits");
    PyObject *module = PyModule_Create(&probe);
    if (module == NULL || PyModule_AddType(module, &readings) < 0)
        return NULL;
    return module;
}
