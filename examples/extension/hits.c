/* Counts calls. Py_BEGIN_ALLOW_THREADS stands for work that needs no interpreter. */
#include <Python.h>

static long total;

static PyObject *record(PyObject *module, PyObject *unused)
{
    long seen = total;
    Py_BEGIN_ALLOW_THREADS
    seen++;
    Py_END_ALLOW_THREADS
    total = seen;
    Py_RETURN_NONE;
}

static PyObject *count(PyObject *module, PyObject *unused)
{
    return PyLong_FromLong(total);
}

static PyMethodDef methods[] = {
    {"record", record, METH_NOARGS, "One more."},
    {"count", count, METH_NOARGS, "How many."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "hits", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_hits(void)
{
    return PyModule_Create(&module);
}
