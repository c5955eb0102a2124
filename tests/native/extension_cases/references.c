/* References that are used without being owned, each beside what drops them, and the same done right. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>

#define UNUSED __attribute__((unused))

/* Of a list in both directions that a dict keeps alive: an end takes it out. */
typedef struct node {
    PyObject_HEAD struct node *before, *behind;
} Node;

typedef struct {
    PyObject_HEAD PyObject *item;
    PyObject *chain;
    Node *root; /* of the chain */
    PyObject *dict, *list, *tuple, *number, *weak, *target, *constant;
    _Atomic(PyObject *) atomic;
    pthread_mutex_t lock;
    struct { /* words that stand before a pointer to a type, and are no reference counts */
        PyObject *object;
        PyTypeObject *type;
        long count;
        PyTypeObject *counted;
    } typed;
} Box;

#define METHOD(name) static PyObject *name(Box *box, UNUSED PyObject *none)
#define DONE Py_RETURN_NONE

static PyObject *fresh(void)
{
    return PyUnicode_FromFormat("fresh %d", 1000);
}

METHOD(item)
{
    return Py_NewRef(box->item);
}
METHOD(replace_item)
{
    Py_SETREF(box->item, fresh());
    DONE;
}
METHOD(clear_item)
{
    Py_CLEAR(box->item);
    DONE;
}
METHOD(length)
{
    return PyLong_FromSsize_t(PyObject_Length(box->item));
}
METHOD(item_later)
{
    PyObject *item = box->item;
    Py_BEGIN_ALLOW_THREADS;
    Py_END_ALLOW_THREADS;
    return PyObject_Str(item);
}
METHOD(lent_later)
{
    PyObject *value = PyDict_GetItemString(box->dict, "key");
    Py_BEGIN_ALLOW_THREADS;
    Py_END_ALLOW_THREADS;
    return value ? PyObject_Str(value) : Py_NewRef(Py_None);
}

METHOD(cached)
{
    PyObject *value = PyDict_GetItemString(box->dict, "key");
    return value ? Py_NewRef(value) : fresh();
}
METHOD(next_value)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    return PyDict_Next(box->dict, &at, &key, &value) ? Py_NewRef(value) : Py_NewRef(Py_None);
}
METHOD(evict)
{
    PyDict_Clear(box->dict);
    DONE;
}
METHOD(owned) /* right */
{
    PyObject *key = PyUnicode_FromString("key"), *value = PyObject_GetItem(box->dict, key);
    Py_DECREF(key);
    PyErr_Clear();
    return value ? value : Py_NewRef(Py_None);
}

METHOD(listed)
{
    return Py_NewRef(PyList_GetItem(box->list, 0));
}
METHOD(listed_by_macro)
{
    return Py_NewRef(PyList_GET_ITEM(box->list, 0));
}
METHOD(replace_listed)
{
    PyList_SetItem(box->list, 0, fresh());
    DONE;
}

METHOD(of_tuple)
{
    return Py_NewRef(PyTuple_GET_ITEM(box->tuple, 0));
}
METHOD(replace_tuple)
{
    Py_SETREF(box->tuple, PyTuple_Pack(1, Py_None));
    DONE;
}

METHOD(number)
{
    return PyFloat_FromDouble(PyFloat_AsDouble(box->number));
} /* the interpreter keeps the memory of numbers */
METHOD(replace_number)
{
    Py_SETREF(box->number, PyFloat_FromDouble(2.5));
    DONE;
}

METHOD(referent)
{
    PyObject *object = PyWeakref_GetObject(box->weak);
    return object == Py_None ? Py_NewRef(Py_None) : PyLong_FromSsize_t(PySet_Size(object));
}
METHOD(drop_referent)
{
    Py_CLEAR(box->target);
    DONE;
}

METHOD(atomic)
{
    return Py_NewRef(atomic_load(&box->atomic));
}
METHOD(replace_atomic)
{
    Py_DECREF(atomic_exchange(&box->atomic, fresh()));
    DONE;
}

METHOD(locked) /* right */
{
    pthread_mutex_lock(&box->lock);
    PyObject *item = Py_NewRef(box->item);
    pthread_mutex_unlock(&box->lock);
    return item;
}
METHOD(replace_locked)
{
    PyObject *new = fresh();
    pthread_mutex_lock(&box->lock);
    PyObject *old = box->item;
    box->item = new;
    pthread_mutex_unlock(&box->lock);
    Py_DECREF(old);
    DONE;
}
METHOD(clear_chain) /* right: the interpreter ends each node, whose neighbour the same thread has just looked at */
{
    pthread_mutex_lock(&box->lock);
    PyDict_Clear(box->chain);
    pthread_mutex_unlock(&box->lock);
    DONE;
}
METHOD(peek_chain) /* its links are read where others write them, so they are known places */
{
    PyObject *key = PyLong_FromLong(1);
    pthread_mutex_lock(&box->lock);
    Node *node = (Node *)Py_XNewRef(PyDict_GetItem(box->chain, key));
    pthread_mutex_unlock(&box->lock);
    long linked = node && node->before && node->behind;
    pthread_mutex_lock(&box->lock);
    Py_XDECREF(node);
    pthread_mutex_unlock(&box->lock);
    Py_DECREF(key);
    return PyLong_FromLong(linked);
}
METHOD(walk_unlocked) /* wrong */
{
    long nodes = 0;
    for (Node *node = box->root->behind; node != box->root; node = node->behind)
        nodes++;
    return PyLong_FromLong(nodes);
}
METHOD(traffic) /* references that cannot matter: of what nobody drops, and of None */
{
    for (int i = 0; i < 5; i++) {
        Py_INCREF(box->constant);
        Py_INCREF(Py_None);
        Py_DECREF(box->constant);
        Py_DECREF(Py_None);
    }
    DONE;
}
METHOD(typed)
{
    return Py_NewRef(box->typed.object);
}
METHOD(replace_typed)
{
    Py_SETREF(box->typed.object, fresh());
    DONE;
}
METHOD(count_typed)
{
    box->typed.count++;
    DONE;
}
METHOD(counted)
{
    return PyLong_FromLong(box->typed.count);
}
METHOD(count_unseen) /* in a place that no step shows, beside steps that have nothing in common */
{
    for (int i = 0; i < 3; i++)
        PyDict_Size(box->dict);
    PyObject *seen = PySys_GetObject("unseen");
    long count = seen ? PyLong_AsLong(seen) : 0;
    PyDict_Size(box->dict);
    PyObject *more = PyLong_FromLong(count + 1);
    PySys_SetObject("unseen", more);
    Py_DECREF(more);
    PyDict_Size(box->dict);
    DONE;
}
METHOD(no_traffic)
{
    return PyLong_FromLong(box->constant != NULL);
}

METHOD(append_once) /* looks and acts, by calls of methods */
{
    if (PyList_GET_SIZE(box->list) == 1)
        Py_XDECREF(PyObject_CallMethod(box->list, "append", "i", 7));
    DONE;
}
METHOD(concat_once)
{
    PyObject *more = PyList_New(1);
    PyList_SET_ITEM(more, 0, Py_NewRef(Py_None));
    if (PyObject_HasAttrString(box->list, "append") && PyList_Size(box->list) == 1)
        Py_XDECREF(PySequence_InPlaceConcat(box->list, more));
    Py_DECREF(more);
    DONE;
}
METHOD(size)
{
    return PyLong_FromSsize_t(PyList_GET_SIZE(box->list));
}

static void end_node(PyObject *self)
{
    Node *node = (Node *)self, *before = node->before, *behind = node->behind;
    before->behind = behind;
    behind->before = before;
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject node_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "references.Node",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = end_node,
};

static void add_node(Box *box, int number)
{
    Node *node = PyObject_New(Node, &node_type);
    PyObject *key = PyLong_FromLong(number);
    node->before = box->root;
    node->behind = box->root->behind;
    node->behind->before = box->root->behind = node;
    PyDict_SetItem(box->chain, key, (PyObject *)node);
    Py_DECREF(key);
    Py_DECREF(node);
}

static int initialise(PyObject *self, UNUSED PyObject *arguments, UNUSED PyObject *names)
{
    Box *box = (Box *)self;
    PyObject *value = fresh();
    box->item = fresh();
    box->dict = PyDict_New();
    PyDict_SetItemString(box->dict, "key", value);
    Py_DECREF(value);
    box->list = PyList_New(1);
    PyList_SET_ITEM(box->list, 0, fresh());
    box->tuple = PyTuple_New(1);
    PyTuple_SET_ITEM(box->tuple, 0, fresh());
    box->number = PyFloat_FromDouble(1.5);
    box->target = PySet_New(NULL);
    box->weak = PyWeakref_NewRef(box->target, NULL);
    box->constant = fresh();
    box->typed.object = fresh();
    box->typed.type = box->typed.counted = Py_TYPE(box->typed.object);
    atomic_init(&box->atomic, fresh());
    box->chain = PyDict_New();
    box->root = PyObject_New(Node, &node_type);
    box->root->before = box->root->behind = box->root;
    for (int i = 0; i < 3; i++)
        add_node(box, i);
    return pthread_mutex_init(&box->lock, NULL);
}

static PyObject *first_later(UNUSED PyObject *self, PyObject *list) /* lent, and kept while others may run */
{
    PyObject *first = PyList_GetItem(list, 0);
    Py_BEGIN_ALLOW_THREADS;
    Py_END_ALLOW_THREADS;
    return first ? PyLong_FromSsize_t(PyObject_Size(first)) : NULL;
}

#define ROW(name)                                                                                                                \
    {                                                                                                                            \
#name, (PyCFunction)name, METH_NOARGS, NULL                                                                              \
    }
static PyMethodDef methods[] = {
    ROW(item),
    ROW(replace_item),
    ROW(clear_item),
    ROW(length),
    ROW(item_later),
    ROW(lent_later),
    ROW(cached),
    ROW(next_value),
    ROW(evict),
    ROW(owned),
    ROW(listed),
    ROW(listed_by_macro),
    ROW(of_tuple),
    ROW(replace_listed),
    ROW(replace_tuple),
    ROW(number),
    ROW(replace_number),
    ROW(referent),
    ROW(atomic),
    ROW(drop_referent),
    ROW(replace_atomic),
    ROW(locked),
    ROW(replace_locked),
    ROW(traffic),
    ROW(no_traffic),
    ROW(append_once),
    ROW(concat_once),
    ROW(size),
    ROW(typed),
    ROW(replace_typed),
    ROW(count_typed),
    ROW(counted),
    ROW(clear_chain),
    ROW(peek_chain),
    ROW(walk_unlocked),
    ROW(count_unseen),
    {"first_later", first_later, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "references.Box",
    .tp_basicsize = sizeof(Box),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = initialise,
    .tp_methods = methods,
};

static struct PyModuleDef references = {PyModuleDef_HEAD_INIT, "references", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_references(void)
{
    PyObject *module = PyType_Ready(&type) || PyType_Ready(&node_type) ? NULL : PyModule_Create(&references);
    return module && PyModule_AddObjectRef(module, "Box", (PyObject *)&type) == 0 ? module : NULL;
}
