/* An extension that nobody instrumented. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static long total;

static PyObject *count(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    return PyLong_FromLong(++total);
}

static PyMethodDef methods[] = {{"count", count, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef plain = {PyModuleDef_HEAD_INIT, "plain", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_plain(void)
{
    return PyModule_Create(&plain);
}
