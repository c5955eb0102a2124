/* A stack that never lets the GIL go, and so needs no lock; with a free-threaded interpreter it does.
 *
 * Breaks so (gil="off" only): both threads read the same `top`, hang their node in front of it and make it the top; one node is lost.
 * Two that pop may get the same node, and free it twice.
 * Fixed: by a critical section in a free-threaded build, where it is one; elsewhere it is an empty macro, which a simulation
 * cannot see, so there by a mutex of the stack's own. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>

struct node {
    struct node *below;
    long item;
};

typedef struct {
    PyObject ob_base;
    struct node *top;
    pthread_mutex_t lock;
} Stack;

#if defined(FIXED) && defined(Py_GIL_DISABLED)
#define ENTER(stack) Py_BEGIN_CRITICAL_SECTION(stack)
#define LEAVE(stack) Py_END_CRITICAL_SECTION()
#elif defined(FIXED)
#define ENTER(stack) pthread_mutex_lock(&(stack)->lock)
#define LEAVE(stack) pthread_mutex_unlock(&(stack)->lock)
#else
#define ENTER(stack) (void)0
#define LEAVE(stack) (void)0
#endif

static int stack_init(PyObject *object, PyObject *unused, PyObject *none)
{
    (void)unused, (void)none;
    return pthread_mutex_init(&((Stack *)object)->lock, NULL);
}

static PyObject *stack_push(PyObject *object, PyObject *argument)
{
    Stack *self = (Stack *)object;
    struct node *node = PyMem_RawMalloc(sizeof *node);
    if (node == NULL)
        return PyErr_NoMemory();
    node->item = PyLong_AsLong(argument);
    ENTER(self);
    node->below = self->top;
    self->top = node;
    LEAVE(self);
    Py_RETURN_NONE;
}

static PyObject *stack_pop(PyObject *object, PyObject *unused)
{
    (void)unused;
    Stack *self = (Stack *)object;
    struct node *node;
    ENTER(self);
    node = self->top;
    if (node != NULL)
        self->top = node->below;
    LEAVE(self);
    if (node == NULL)
        return PyErr_Format(PyExc_IndexError, "empty");
    long item = node->item;
    PyMem_RawFree(node);
    return PyLong_FromLong(item);
}

static void stack_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    for (struct node *node = ((Stack *)object)->top, *below; node; node = below) {
        below = node->below;
        PyMem_RawFree(node);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef stack_methods[] = {
    {"push", stack_push, METH_O, NULL},
    {"pop", stack_pop, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot stack_slots[] = {
    {Py_tp_init, stack_init},
    {Py_tp_dealloc, stack_dealloc},
    {Py_tp_methods, stack_methods},
    {0, NULL},
};
static PyType_Spec stack_spec = {"missing_lock.Stack", sizeof(Stack), 0, Py_TPFLAGS_DEFAULT, stack_slots};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "missing_lock", .m_size = -1};

PyMODINIT_FUNC PyInit_missing_lock(void)
{
    PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&stack_spec);
    if (module == NULL || type == NULL || PyModule_AddObject(module, "Stack", type) < 0)
        return NULL;
#ifdef Py_GIL_DISABLED
    PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
    return module;
}
