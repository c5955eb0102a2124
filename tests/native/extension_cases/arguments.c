/* What a function of the interpreter finds in its arguments: texts that another thread frees, objects that it drops, variables
 * that two threads have filled in; and what instrumented code does that is told by halves. Each mistake stands beside the same
 * done right. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define UNUSED __attribute__((unused))
#define FUNCTION(name) static PyObject *name(UNUSED PyObject *module, UNUSED PyObject *given)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- a text of the extension's ---- */

static char *name;

FUNCTION(rename_to)
{
    char *old = name;
    name = strdup(PyUnicode_AsUTF8(given));
    free(old);
    Py_RETURN_NONE;
}

FUNCTION(format_name)
{
    return PyUnicode_FromFormat("%d: %.9s", 7, name);
}

FUNCTION(build_name)
{
    return Py_BuildValue("(is)", 7, name);
}

FUNCTION(complain_of_name)
{
    return PyErr_Format(PyExc_ValueError, "%-5zd%s", (Py_ssize_t)7, name);
}

FUNCTION(complain_by_name)
{
    PyErr_SetString(PyExc_ValueError, name);
    return NULL;
}

FUNCTION(attribute_by_name)
{
    return PyObject_GetAttrString(module, name);
}

FUNCTION(decode_name)
{
    return PyUnicode_DecodeFSDefault(name);
}

FUNCTION(lend_name)
{
    Py_buffer view;
    char *text = name;
    int failed = PyBuffer_FillInfo(&view, NULL, text, (Py_ssize_t)sizeof "name", 1, PyBUF_SIMPLE);
    return failed ? NULL : Py_NewRef(Py_None);
}

FUNCTION(rename_locked)
{
    pthread_mutex_lock(&lock);
    PyObject *done = rename_to(module, given);
    pthread_mutex_unlock(&lock);
    return done;
}

FUNCTION(format_locked)
{
    pthread_mutex_lock(&lock);
    PyObject *text = format_name(module, given);
    pthread_mutex_unlock(&lock);
    return text;
}

/* ---- an object of the extension's ---- */

static PyObject *kept;

FUNCTION(keep)
{
    Py_XSETREF(kept, Py_NewRef(given));
    Py_RETURN_NONE;
}

FUNCTION(pack_kept)
{
    return PyTuple_Pack(2, Py_None, kept);
}

FUNCTION(build_kept)
{
    return Py_BuildValue("{s#:[dO]}", "key", (Py_ssize_t)3, 0.5, kept);
}

FUNCTION(format_kept)
{
    return PyUnicode_FromFormat("%c %R", 'x', kept);
}

FUNCTION(call_with_kept)
{
    return PyObject_CallFunctionObjArgs((PyObject *)&PyUnicode_Type, kept, NULL);
}

FUNCTION(call_by_array)
{
    PyObject *arguments[] = {kept};
    return PyObject_Vectorcall((PyObject *)&PyUnicode_Type, arguments, 1, NULL);
}

static PyObject *with_kept(PyObject *(*use)(PyObject *))
{
    pthread_mutex_lock(&lock);
    PyObject *mine = Py_NewRef(kept);
    pthread_mutex_unlock(&lock);
    PyObject *result = use(mine);
    Py_DECREF(mine);
    return result;
}

/* In two ways: borrowed, and with a reference that was taken under a lock. */
#define USE(name)                                                                                                                \
    static PyObject *use_to_##name(PyObject *object);                                                                            \
    FUNCTION(name)                                                                                                               \
    {                                                                                                                            \
        return use_to_##name(kept);                                                                                              \
    }                                                                                                                            \
    FUNCTION(name##_owned)                                                                                                       \
    {                                                                                                                            \
        return with_kept(use_to_##name);                                                                                         \
    }                                                                                                                            \
    static PyObject *use_to_##name(PyObject *object)

USE(replace_letters)
{
    return PyUnicode_Replace(object, object, object, 1);
}

USE(raise)
{
    PyErr_SetNone(object);
    return NULL;
}

USE(end_slice)
{
    return PySlice_New(NULL, object, NULL);
}

USE(bind)
{
    return PyMethod_New((PyObject *)&PyUnicode_Type, object);
}

USE(parse)
{
    PyObject *arguments = NULL;
    return PyArg_ParseTuple(object, "O", &arguments) ? Py_NewRef(Py_None) : NULL;
}

USE(give_keywords)
{
    PyObject *none = PyTuple_New(0), *result = PyObject_Call((PyObject *)&PyDict_Type, none, object);
    Py_DECREF(none);
    return result;
}

FUNCTION(keep_locked)
{
    pthread_mutex_lock(&lock);
    PyObject *old = kept;
    kept = Py_NewRef(given);
    pthread_mutex_unlock(&lock);
    Py_DECREF(old);
    Py_RETURN_NONE;
}

/* ---- static variables that the interpreter fills in ---- */

FUNCTION(slice_of)
{
    static Py_ssize_t start, stop, step;
    return PySlice_Unpack(given, &start, &stop, &step) ? NULL : Py_BuildValue("nnn", start, stop, step);
}

FUNCTION(local_slice_of)
{
    Py_ssize_t start, stop, step;
    return PySlice_Unpack(given, &start, &stop, &step) ? NULL : Py_BuildValue("nnn", start, stop, step);
}

FUNCTION(number_of)
{
    static int overflow;
    long number = PyLong_AsLongAndOverflow(given, &overflow);
    return PyLong_FromLong(overflow ? 0 : number);
}

FUNCTION(letters_of)
{
    static Py_UCS4 letters[8];
    return PyUnicode_AsUCS4(given, letters, 8, 1)
               ? PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, letters, PyUnicode_GET_LENGTH(given))
               : NULL;
}

FUNCTION(text_of)
{
    static char text[16];
    PyOS_snprintf(text, sizeof text, "%ld", PyLong_AsLong(given));
    return PyUnicode_FromString(text);
}

/* ---- bits of one byte; a method of the interpreter's that is called by a pointer, as Cython does ---- */

static struct {
    unsigned one : 1, other : 1;
} bits;

FUNCTION(set_one)
{
    bits.one = 1;
    Py_RETURN_NONE;
}

FUNCTION(set_other)
{
    bits.other = 1;
    Py_RETURN_NONE;
}

FUNCTION(count_bits)
{
    return PyLong_FromLong(bits.one + bits.other);
}

FUNCTION(pop_if_any)
{
    PyMethodDescrObject *pop = (PyMethodDescrObject *)PyDict_GetItemString(PyList_Type.tp_dict, "pop");
    if (PyList_GET_SIZE(given) == 0)
        Py_RETURN_NONE;
    return ((_PyCFunctionFast)(void (*)(void))pop->d_method->ml_meth)(given, NULL, 0);
}

/* clang-format off */
#define ALONE(name) {#name, name, METH_NOARGS, NULL}
#define WITH(name) {#name, name, METH_O, NULL}
#define BOTH(name) ALONE(name), ALONE(name##_owned)
/* clang-format on */
static PyMethodDef functions[] = {
    WITH(rename_to),
    ALONE(format_name),
    ALONE(build_name),
    ALONE(complain_of_name),
    ALONE(complain_by_name),
    ALONE(attribute_by_name),
    ALONE(decode_name),
    ALONE(lend_name),
    WITH(rename_locked),
    ALONE(format_locked),
    WITH(keep),
    ALONE(pack_kept),
    ALONE(build_kept),
    ALONE(format_kept),
    ALONE(call_with_kept),
    ALONE(call_by_array),
    WITH(keep_locked),
    BOTH(replace_letters),
    BOTH(raise),
    BOTH(end_slice),
    BOTH(bind),
    BOTH(parse),
    BOTH(give_keywords),
    WITH(slice_of),
    WITH(local_slice_of),
    WITH(number_of),
    WITH(letters_of),
    WITH(text_of),
    ALONE(set_one),
    ALONE(set_other),
    ALONE(count_bits),
    WITH(pop_if_any),
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "arguments", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit_arguments(void)
{
    return PyModule_Create(&definition);
}
