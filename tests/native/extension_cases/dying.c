/* Objects that die while somebody looks at them: between two steps of one call, and in the midst of their own deallocation. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>

#define UNUSED __attribute__((unused))
#define DONE Py_RETURN_NONE

/* ---- a node is in a list of all nodes, which only its deallocator takes it out of ---- */

typedef struct node {
    PyObject_HEAD struct node *next, *before;
} Node;

static Node *nodes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static PyObject *new_node(PyTypeObject *type, UNUSED PyObject *arguments, UNUSED PyObject *names)
{
    Node *node = (Node *)type->tp_alloc(type, 0);
    pthread_mutex_lock(&lock);
    node->next = nodes;
    if (nodes)
        nodes->before = node;
    nodes = node;
    pthread_mutex_unlock(&lock);
    return (PyObject *)node;
}

static void unlink_node(Node *node)
{
    if (node->next)
        node->next->before = node->before;
    if (node->before)
        node->before->next = node->next;
    else
        nodes = node->next;
}

/* right: a neighbour may have no reference left, and waits for the lock; its memory is there */
static void end_locked(PyObject *self)
{
    pthread_mutex_lock(&lock);
    unlink_node((Node *)self);
    pthread_mutex_unlock(&lock);
    Py_TYPE(self)->tp_free(self);
}

/* wrong */
static void end_unlocked(PyObject *self)
{
    unlink_node((Node *)self);
    Py_TYPE(self)->tp_free(self);
}

/* right: under the lock, a node with a reference cannot die */
static PyObject *first_alive(UNUSED PyObject *module, UNUSED PyObject *none)
{
    PyObject *found = NULL;
    pthread_mutex_lock(&lock);
    for (Node *node = nodes; node && !found; node = node->next)
        found = Py_REFCNT(node) > 0 ? (PyObject *)node : NULL;
    pthread_mutex_unlock(&lock);
    return PyBool_FromLong(found != NULL);
}

/* wrong: it may be dying */
static PyObject *first(UNUSED PyObject *module, UNUSED PyObject *none)
{
    pthread_mutex_lock(&lock);
    PyObject *found = nodes ? Py_NewRef((PyObject *)nodes) : Py_NewRef(Py_None);
    pthread_mutex_unlock(&lock);
    return found;
}

static PyTypeObject locked_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "dying.Locked",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_node,
    .tp_dealloc = end_locked,
};
static PyTypeObject unlocked_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "dying.Unlocked",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_node,
    .tp_dealloc = end_unlocked,
};

/* ---- calls ---- */

static PyObject *kept; /* an exception's value */

static PyObject *keep(UNUSED PyObject *module, PyObject *value)
{
    Py_XSETREF(kept, Py_NewRef(value));
    DONE;
}

static PyObject *fail_with(UNUSED PyObject *module, UNUSED PyObject *none)
{
    PyErr_SetObject(PyExc_ValueError, kept);
    PyErr_Clear();
    DONE;
}

/* A tuple's memory is the interpreter's for the next one: it can be read, and says something else. */
static PyObject *lent_text(UNUSED PyObject *module, PyObject *dict)
{
    return PyObject_Repr(PyDict_GetItemString(dict, "pair"));
}

static PyObject *namespace_size(UNUSED PyObject *module, PyObject *object)
{
    PyObject *names = PyObject_GenericGetDict(object, NULL);
    Py_DECREF(names);
    return PyLong_FromSsize_t(PyObject_Size(names));
}

static PyObject *replace_namespace(UNUSED PyObject *module, PyObject *object)
{
    PyObject *names = PyDict_New();
    PyObject_GenericSetDict(object, names, NULL);
    Py_DECREF(names);
    DONE;
}

/* What stands in memory that was just allocated. */
static PyObject *new_byte(UNUSED PyObject *module, PyObject *size)
{
    size_t bytes = PyLong_AsSize_t(size);
    volatile unsigned char *block = PyMem_Malloc(bytes);
    unsigned char found = block[bytes - 1];
    PyMem_Free((void *)block);
    return PyLong_FromLong(found);
}

static PyMethodDef functions[] = {
    {"first_alive", first_alive, METH_NOARGS, NULL},
    {"first", first, METH_NOARGS, NULL},
    {"keep", keep, METH_O, NULL},
    {"fail_with", fail_with, METH_NOARGS, NULL},
    {"new_byte", new_byte, METH_O, NULL},
    {"lent_text", lent_text, METH_O, NULL},
    {"namespace_size", namespace_size, METH_O, NULL},
    {"replace_namespace", replace_namespace, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "dying", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_dying(void)
{
    PyObject *module = PyType_Ready(&locked_type) || PyType_Ready(&unlocked_type) ? NULL : PyModule_Create(&definition);
    if (module)
        PyModule_AddObjectRef(module, "Locked", (PyObject *)&locked_type);
    if (module)
        PyModule_AddObjectRef(module, "Unlocked", (PyObject *)&unlocked_type);
    return module;
}
