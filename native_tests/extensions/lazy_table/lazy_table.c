/* A table that is made on first use. The pointer is set before the table is filled, and the filling lets the GIL go.
 *
 * Breaks so: T1 sets the pointer and drops the GIL to fill; T2 takes the GIL, sees a table and reads a square that is not there yet.
 * Fixed: fills a private table and shows it when it is complete, with the GIL held; of two that were made one is thrown away. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

enum { ROWS = 8 };

static int *squares;

static void fill(int *table)
{
    for (int i = 0; i < ROWS; i++)
        table[i] = i * i;
}

static PyObject *square(PyObject *module, PyObject *argument)
{
    (void)module;
    long row = PyLong_AsLong(argument);
    if (row < 0 || row >= ROWS)
        return PyErr_Format(PyExc_IndexError, "no such row");
    if (squares == NULL) {
        int *fresh = calloc(ROWS, sizeof *fresh);
        if (fresh == NULL)
            return PyErr_NoMemory();
#ifndef FIXED
        squares = fresh;
#endif
        Py_BEGIN_ALLOW_THREADS;
        fill(fresh);
        Py_END_ALLOW_THREADS;
#ifdef FIXED
        if (squares == NULL)
            squares = fresh;
        else
            free(fresh);
#endif
    }
    return PyLong_FromLong(squares[row]);
}

static PyMethodDef methods[] = {
    {"square", square, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "lazy_table", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_lazy_table(void)
{
    return PyModule_Create(&definition);
}
