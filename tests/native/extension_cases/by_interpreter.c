/* Memory and objects that the interpreter reads, writes and lends for an extension, by calls that are not those of containers;
 * each mistake beside the same done right. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdlib.h>
#define UNUSED __attribute__((unused))
#define FUNCTION(name) static PyObject *name(UNUSED PyObject *module, UNUSED PyObject *given)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- arguments that are parsed into static variables ---- */

static int number;
static const char *text;
static Py_ssize_t length;
static double fraction;
static PyObject *object;

FUNCTION(parse_number)
{
    return PyArg_ParseTuple(given, "i", &number) ? PyLong_FromLong(number) : NULL;
}

FUNCTION(parse_local)
{
    int local;
    return PyArg_ParseTuple(given, "i", &local) ? PyLong_FromLong(local) : NULL;
}

FUNCTION(parse_text)
{
    return PyArg_ParseTuple(given, "s#d:parse_text", &text, &length, &fraction) ? Py_BuildValue("snd", text, length, fraction)
                                                                                : NULL;
}

FUNCTION(parse_many) /* more than registers hold */
{
    short a;
    char b;
    long c;
    PyObject *d;
    if (!PyArg_ParseTuple(given, "hbl(O)|iO!", &a, &b, &c, &d, &number, &PyUnicode_Type, &object))
        return NULL;
    return Py_BuildValue("iO", number, object);
}

static PyObject *parse_keyword(UNUSED PyObject *module, PyObject *given, PyObject *keywords)
{
    static char *names[] = {"number", NULL};
    return PyArg_ParseTupleAndKeywords(given, keywords, "i", names, &number) ? PyLong_FromLong(number) : NULL;
}

FUNCTION(unpack)
{
    return PyArg_UnpackTuple(given, "unpack", 1, 1, &object) ? Py_NewRef(object) : NULL;
}

/* ---- a text that grows where it is ---- */

static PyObject *grown;

FUNCTION(begin_text)
{
    Py_XSETREF(grown, PyUnicode_FromFormat("%d lines", 1000));
    Py_RETURN_NONE;
}

FUNCTION(append_text)
{
    PyObject *more = PyUnicode_FromString("more");
    PyUnicode_Append(&grown, more);
    Py_DECREF(more);
    Py_RETURN_NONE;
}

FUNCTION(get_text)
{
    return Py_NewRef(grown);
}

/* ---- what a capsule knows ---- */

static PyObject *capsule;

FUNCTION(make_capsule)
{
    Py_XSETREF(capsule, PyCapsule_New(&number, NULL, NULL));
    PyCapsule_SetContext(capsule, malloc(sizeof(int)));
    Py_RETURN_NONE;
}

FUNCTION(replace_context)
{
    void *old = PyCapsule_GetContext(capsule);
    PyCapsule_SetContext(capsule, malloc(sizeof(int)));
    free(old);
    Py_RETURN_NONE;
}

FUNCTION(replace_context_locked)
{
    pthread_mutex_lock(&lock);
    void *old = PyCapsule_GetContext(capsule);
    PyCapsule_SetContext(capsule, malloc(sizeof(int)));
    pthread_mutex_unlock(&lock);
    free(old);
    Py_RETURN_NONE;
}

/* ---- an element of a set, and the last item of a list ---- */

static PyObject *any_of(UNUSED PyObject *module, PyObject *set)
{
    PyObject *key;
    Py_hash_t hash;
    Py_ssize_t at = 0;
    return _PySet_NextEntry(set, &at, &key, &hash) ? Py_NewRef(key) : Py_NewRef(Py_None);
}

static PyObject *last_of(UNUSED PyObject *module, PyObject *list)
{
    Py_ssize_t count = PyList_GET_SIZE(list);
    return count ? Py_NewRef(PyList_GET_ITEM(list, count - 1)) : Py_NewRef(Py_None);
}

static PyObject *last_of_copy(UNUSED PyObject *module, PyObject *list)
{
    PyObject *copy = PyList_AsTuple(list);
    Py_ssize_t count = PyTuple_GET_SIZE(copy);
    PyObject *last = count ? Py_NewRef(PyTuple_GET_ITEM(copy, count - 1)) : Py_NewRef(Py_None);
    Py_DECREF(copy);
    return last;
}

/* ---- a view of a buffer that two threads give back ---- */

static Py_buffer view;

static PyObject *take_view(UNUSED PyObject *module, PyObject *of)
{
    return PyObject_GetBuffer(of, &view, PyBUF_SIMPLE) ? NULL : Py_NewRef(Py_None);
}

FUNCTION(first_of_view)
{
    char first = view.buf ? *(const char *)view.buf : 0;
    return PyLong_FromLong(first);
}

FUNCTION(give_view_back)
{
    PyBuffer_Release(&view);
    view.buf = NULL;
    Py_RETURN_NONE;
}

#define NONE_OF_IT(name)                                                                                                         \
    {                                                                                                                            \
#name, name, METH_NOARGS, NULL                                                                                           \
    }
#define ONE(name)                                                                                                                \
    {                                                                                                                            \
#name, name, METH_O, NULL                                                                                                \
    }
#define TUPLE(name)                                                                                                              \
    {                                                                                                                            \
#name, name, METH_VARARGS, NULL                                                                                          \
    }
static PyMethodDef functions[] = {
    TUPLE(parse_number),
    TUPLE(parse_local),
    TUPLE(parse_text),
    TUPLE(parse_many),
    {"parse_keyword", (PyCFunction)(void (*)(void))parse_keyword, METH_VARARGS | METH_KEYWORDS, NULL},
    TUPLE(unpack),
    NONE_OF_IT(begin_text),
    NONE_OF_IT(append_text),
    NONE_OF_IT(get_text),
    NONE_OF_IT(make_capsule),
    NONE_OF_IT(replace_context),
    NONE_OF_IT(replace_context_locked),
    ONE(any_of),
    ONE(last_of),
    ONE(last_of_copy),
    ONE(take_view),
    NONE_OF_IT(first_of_view),
    NONE_OF_IT(give_view_back),
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "by_interpreter", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit_by_interpreter(void)
{
    return PyModule_Create(&definition);
}
