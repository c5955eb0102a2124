/* What an extension does with memory that the interpreter or libc changes without telling: numbers that Python's code sets, bytes
 * of buffers, objects that a call replaces where they stand, streams and mappings, what lies behind a block. Each mistake beside
 * the same done right. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdio.h>
#include <structmember.h>
#include <sys/mman.h>
#define UNUSED __attribute__((unused))
#define METHOD(name) static PyObject *name(Box *box, UNUSED PyObject *none)
#define FUNCTION(name) static PyObject *name(UNUSED PyObject *module, UNUSED PyObject *given)
enum { PAGE = 4096 };

typedef struct {
    PyObject_HEAD long number;
    int other; /* shares its word with the flag */
    char flag;
    double fraction;
    PyObject *text, *tuple;
    FILE *stream;
    char *page;
    pthread_mutex_t lock;
} Box;

static int initialise(PyObject *self, UNUSED PyObject *arguments, UNUSED PyObject *names)
{
    Box *box = (Box *)self;
    box->text = PyUnicode_FromFormat("text %d", 1000);
    box->tuple = PyTuple_New(0);
    Py_SETREF(box->tuple, Py_BuildValue("(OO)", box->text, box->text));
    box->stream = fopen("/dev/null", "w");
    box->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    box->page[0] = 1;
    return pthread_mutex_init(&box->lock, NULL);
}

/* ---- numbers ---- */

METHOD(add_to_number)
{
    box->number++;
    Py_RETURN_NONE;
}
METHOD(add_to_flag)
{
    box->flag++;
    Py_RETURN_NONE;
}
METHOD(add_to_fraction)
{
    box->fraction += 1;
    Py_RETURN_NONE;
}
METHOD(number_of)
{
    return PyLong_FromLong(box->number);
}
METHOD(other_of)
{
    return PyLong_FromLong(box->other);
}

/* ---- bytes ---- */

static PyObject *add_to_first(UNUSED PyObject *module, PyObject *of)
{
    Py_buffer view;
    if (PyObject_GetBuffer(of, &view, PyBUF_WRITABLE))
        return NULL;
    ((char *)view.buf)[0]++;
    PyBuffer_Release(&view);
    Py_RETURN_NONE;
}

/* ---- replaced where they stand ---- */

METHOD(append)
{
    PyObject *more = PyUnicode_FromString("x");
    PyUnicode_Append(&box->text, more);
    Py_DECREF(more);
    Py_RETURN_NONE;
}
METHOD(append_locked)
{
    PyObject *more = PyUnicode_FromString("x");
    pthread_mutex_lock(&box->lock);
    PyUnicode_Append(&box->text, more);
    pthread_mutex_unlock(&box->lock);
    Py_DECREF(more);
    Py_RETURN_NONE;
}
FUNCTION(append_own)
{
    PyObject *text = PyUnicode_FromFormat("text %d", 1000), *more = PyUnicode_FromString("x");
    PyUnicode_Append(&text, more);
    Py_DECREF(more);
    return text;
}
METHOD(text_of)
{
    return Py_NewRef(box->text);
}
METHOD(resize)
{
    return _PyTuple_Resize(&box->tuple, 40) ? NULL : Py_NewRef(Py_None);
}

/* ---- streams and mappings ---- */

METHOD(write_line)
{
    FILE *stream = box->stream;
    if (stream)
        fputs("line\n", stream);
    Py_RETURN_NONE;
}
METHOD(close_stream)
{
    FILE *stream = box->stream;
    box->stream = NULL;
    if (stream)
        fclose(stream);
    Py_RETURN_NONE;
}
METHOD(write_locked)
{
    pthread_mutex_lock(&box->lock);
    write_line(box, none);
    pthread_mutex_unlock(&box->lock);
    Py_RETURN_NONE;
}
METHOD(close_locked)
{
    pthread_mutex_lock(&box->lock);
    close_stream(box, none);
    pthread_mutex_unlock(&box->lock);
    Py_RETURN_NONE;
}
METHOD(read_page)
{
    const char *page = box->page;
    return PyLong_FromLong(page ? page[0] : 1);
}
METHOD(unmap)
{
    char *page = box->page;
    box->page = NULL;
    munmap(page, PAGE);
    Py_RETURN_NONE;
}

/* ---- a list for as many as there were, filled with as many as there are ---- */

METHOD(list_all)
{
    PyObject *list = PyList_New(box->number);
    for (long i = 0; i < *(volatile long *)&box->number; i++)
        PyList_SET_ITEM(list, i, PyLong_FromLong(i));
    return list;
}
METHOD(list_had)
{
    long count = box->number;
    PyObject *list = PyList_New(count);
    for (long i = 0; i < count; i++)
        PyList_SET_ITEM(list, i, PyLong_FromLong(i));
    return list;
}

static PyMemberDef members[] = {{"number", T_LONG, offsetof(Box, number), 0, NULL},
                                {"other", T_INT, offsetof(Box, other), 0, NULL},
                                {"flag", T_BYTE, offsetof(Box, flag), 0, NULL},
                                {"fraction", T_DOUBLE, offsetof(Box, fraction), 0, NULL},
                                {NULL, 0, 0, 0, NULL}};
#define ROW(name)                                                                                                                \
    {                                                                                                                            \
#name, (PyCFunction)name, METH_NOARGS, NULL                                                                              \
    }
static PyMethodDef methods[] = {ROW(add_to_number), ROW(add_to_flag),   ROW(add_to_fraction), ROW(number_of), ROW(other_of),
                                ROW(append),        ROW(append_locked), ROW(text_of),         ROW(resize),    ROW(write_line),
                                ROW(close_stream),  ROW(write_locked),  ROW(close_locked),    ROW(read_page), ROW(unmap),
                                ROW(list_all),      ROW(list_had),      {NULL, NULL, 0, NULL}};
static PyMethodDef functions[] = {{"add_to_first", add_to_first, METH_O, NULL}, ROW(append_own), {NULL, NULL, 0, NULL}};
static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "values.Box",
                            .tp_basicsize = sizeof(Box),
                            .tp_flags = Py_TPFLAGS_DEFAULT,
                            .tp_new = PyType_GenericNew,
                            .tp_init = initialise,
                            .tp_methods = methods,
                            .tp_members = members};
static struct PyModuleDef values = {PyModuleDef_HEAD_INIT, .m_name = "values", .m_size = -1, .m_methods = functions};
PyMODINIT_FUNC PyInit_values(void)
{
    PyObject *module = PyType_Ready(&type) ? NULL : PyModule_Create(&values);
    return module && PyModule_AddObjectRef(module, "Box", (PyObject *)&type) == 0 ? module : NULL;
}
