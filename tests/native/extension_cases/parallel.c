/* An extension whose own threads are OpenMP's: a sum that loses additions, and the same by a reduction. */
#include <Python.h>

static long total;

static PyObject *add_racing(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    total = 0;
    Py_BEGIN_ALLOW_THREADS;
#pragma omp parallel num_threads(2)
    total++;
    Py_END_ALLOW_THREADS;
    return PyLong_FromLong(total);
}

static PyObject *add_reduced(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    long sum = 0;
    Py_BEGIN_ALLOW_THREADS;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
    Py_END_ALLOW_THREADS;
    return PyLong_FromLong(sum);
}

static PyObject *add_on_the_stack(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    long sum = 0;
#pragma omp parallel num_threads(2) shared(sum)
    sum++;
    return PyLong_FromLong(sum);
}

static PyMethodDef methods[] = {
    {"add_racing", add_racing, METH_NOARGS, NULL},
    {"add_on_the_stack", add_on_the_stack, METH_NOARGS, NULL},
    {"add_reduced", add_reduced, METH_NOARGS, NULL},
    {0},
};
static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "parallel", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_parallel(void)
{
    return PyModule_Create(&definition);
}
