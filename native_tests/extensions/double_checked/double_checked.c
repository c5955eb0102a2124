/* A setting that is read from afar once, guarded by double-checked locking. The flag is raised before the value is there.
 *
 * Breaks so: T1 raises the flag inside the lock; T2 sees it raised outside of the lock and returns the value that T1 has not stored.
 * Fixed: the flag is raised last. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool known;
static atomic_long setting;

static void learn(void)
{
    pthread_mutex_lock(&lock);
    if (!atomic_load(&known)) {
#ifdef FIXED
        atomic_store(&setting, 42);
        atomic_store(&known, 1);
#else
        atomic_store(&known, 1);
        atomic_store(&setting, 42);
#endif
    }
    pthread_mutex_unlock(&lock);
}

static PyObject *get(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    long found;
    Py_BEGIN_ALLOW_THREADS;
    if (!atomic_load(&known))
        learn();
    found = atomic_load(&setting);
    Py_END_ALLOW_THREADS;
    return PyLong_FromLong(found);
}

static PyMethodDef methods[] = {
    {"get", get, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "double_checked", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_double_checked(void)
{
    return PyModule_Create(&definition);
}
