/* A log with a mutex of its own, which is held while the GIL is let go for the writing.
 *
 * Breaks so: T1 takes the mutex and drops the GIL; T2 takes the GIL and waits for the mutex, holding the GIL; T1 has written and
 * waits for the GIL, holding the mutex.
 * Fixed: whoever waits for the mutex has let the GIL go before, and takes it back only after unlocking. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long lines;

static PyObject *write_line(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
#ifdef FIXED
    Py_BEGIN_ALLOW_THREADS;
    pthread_mutex_lock(&lock);
    lines++; /* stands for slow output */
    pthread_mutex_unlock(&lock);
    Py_END_ALLOW_THREADS;
#else
    pthread_mutex_lock(&lock);
    Py_BEGIN_ALLOW_THREADS;
    lines++; /* stands for slow output */
    Py_END_ALLOW_THREADS;
    pthread_mutex_unlock(&lock);
#endif
    Py_RETURN_NONE;
}

static PyObject *written(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(lines);
}

static PyMethodDef methods[] = {
    {"write_line", write_line, METH_NOARGS, NULL},
    {"written", written, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "log_deadlock", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_log_deadlock(void)
{
    return PyModule_Create(&definition);
}
