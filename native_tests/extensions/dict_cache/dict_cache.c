/* A cache of objects whose whole state is a dict that is reached through the C API: no memory of the extension's own changes.
 *
 * Breaks so, if the making lets the GIL go (`get_slowly`) or if there is none (`get`): both threads look and find nothing, both make
 * an object and store it; the first one to store has given out an object that the cache no longer knows.
 * Fixed: the second one to store takes what is there (PyDict_SetDefault is one operation). */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *cache;

/* A new reference to the cached object, which may be ours. */
static PyObject *remember(PyObject *key, PyObject *fresh)
{
#ifdef FIXED
    PyObject *kept = PyDict_SetDefault(cache, key, fresh);
    Py_XINCREF(kept);
    Py_DECREF(fresh);
    return kept;
#else
    if (PyDict_SetItem(cache, key, fresh) < 0)
        Py_CLEAR(fresh);
    return fresh;
#endif
}

static PyObject *found(PyObject *key)
{
    PyObject *known = PyDict_GetItemWithError(cache, key);
    Py_XINCREF(known);
    return known;
}

static PyObject *get(PyObject *module, PyObject *key)
{
    (void)module;
    PyObject *known = found(key);
    if (known != NULL || PyErr_Occurred())
        return known;
    PyObject *fresh = PyList_New(0);
    return fresh ? remember(key, fresh) : NULL;
}

static PyObject *get_slowly(PyObject *module, PyObject *key)
{
    (void)module;
    PyObject *known = found(key);
    if (known != NULL || PyErr_Occurred())
        return known;
    Py_BEGIN_ALLOW_THREADS; /* stands for a computation */
    Py_END_ALLOW_THREADS;
    PyObject *fresh = PyList_New(0);
    return fresh ? remember(key, fresh) : NULL;
}

static PyMethodDef methods[] = {
    {"get", get, METH_O, NULL},
    {"get_slowly", get_slowly, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "dict_cache", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_dict_cache(void)
{
    cache = PyDict_New();
    return cache ? PyModule_Create(&definition) : NULL;
}
