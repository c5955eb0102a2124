/* A bounded stack that never lets the GIL go, and so needs no lock; with a free-threaded interpreter it does.
 *
 * Breaks so (gil="off" only): both threads read the same `used`, write the same slot and set `used` to the same number.
 * Fixed: a mutex of the stack's own. (Py_BEGIN_CRITICAL_SECTION would do in a free-threaded build; in a build with the GIL it is
 * an empty macro, so that a simulation cannot see it.) */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>

enum { ROOM = 8 };

static long items[ROOM];
static int used;

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define ENTER() pthread_mutex_lock(&lock)
#define LEAVE() pthread_mutex_unlock(&lock)
#else
#define ENTER() (void)0
#define LEAVE() (void)0
#endif

static PyObject *push(PyObject *module, PyObject *argument)
{
    (void)module;
    long item = PyLong_AsLong(argument);
    ENTER();
    if (used < ROOM)
        items[used++] = item;
    LEAVE();
    Py_RETURN_NONE;
}

static PyObject *pop(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    ENTER();
    long item = used ? items[--used] : -1;
    LEAVE();
    return PyLong_FromLong(item);
}

static PyMethodDef methods[] = {
    {"push", push, METH_O, NULL},
    {"pop", pop, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "missing_lock", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_missing_lock(void)
{
    return PyModule_Create(&definition);
}
