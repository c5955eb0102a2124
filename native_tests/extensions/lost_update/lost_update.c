/* A counter that lets the GIL go while it counts, as a longer computation would: the GIL protects nothing then.
 *
 * Breaks so: both threads load 0, both store 1.
 * Fixed: one atomic addition instead of a load and a store. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdatomic.h>

static atomic_long count;

static PyObject *add(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    Py_BEGIN_ALLOW_THREADS;
#ifdef FIXED
    atomic_fetch_add(&count, 1);
#else
    long seen = atomic_load(&count);
    atomic_store(&count, seen + 1);
#endif
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

static PyObject *value(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(atomic_load(&count));
}

static PyMethodDef methods[] = {
    {"add", add, METH_NOARGS, NULL},
    {"value", value, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "lost_update", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_lost_update(void)
{
    return PyModule_Create(&definition);
}
