/* A list of numbers. total() lets the GIL go before every number, so that other threads are not kept waiting; append() moves the
 * numbers to a larger block.
 *
 * Breaks so: T1 walks by pointer and drops the GIL; T2 appends, which frees the block under T1's pointer; T1 reads on.
 * Fixed: T1 walks by index and looks for the block again each time. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

static long *numbers;
static Py_ssize_t count;

static void give_way(void)
{
    Py_BEGIN_ALLOW_THREADS;
    Py_END_ALLOW_THREADS;
}

static PyObject *total(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    long sum = 0;
#ifdef FIXED
    for (Py_ssize_t i = 0; i < count; i++) {
        give_way();
        sum += numbers[i];
    }
#else
    for (const long *number = numbers, *end = numbers + count; number < end; number++) {
        give_way();
        sum += *number;
    }
#endif
    return PyLong_FromLong(sum);
}

static PyObject *append(PyObject *module, PyObject *argument)
{
    (void)module;
    long number = PyLong_AsLong(argument);
    long *larger = realloc(numbers, (size_t)(count + 1) * sizeof *numbers);
    if (larger == NULL)
        return PyErr_NoMemory();
    numbers = larger;
    numbers[count++] = number;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"total", total, METH_NOARGS, NULL},
    {"append", append, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "growing_list", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_growing_list(void)
{
    return PyModule_Create(&definition);
}
