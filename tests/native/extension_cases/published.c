/* References that a thread gives away, and uses on; and pointers that a lock guards, but not the reference. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define UNUSED __attribute__((unused))

typedef struct {
    PyObject_HEAD PyObject *item;
    PyObject *dict, *list, *object;
    PyObject *pair[2];
    _Atomic(PyObject *) atomic;
    pthread_mutex_t lock;
} Slot;

#define METHOD(name) static PyObject *name(Slot *slot, UNUSED PyObject *none)
#define DONE Py_RETURN_NONE

static PyObject *fresh(void)
{
    return PyUnicode_FromFormat("fresh %d", 1000);
}

METHOD(publish) /* the slot's reference is the only one until ours is taken */
{
    PyObject *made = fresh(), *old = slot->item;
    slot->item = made;
    Py_XDECREF(old);
    return Py_NewRef(made);
}
METHOD(publish_owned) /* right */
{
    PyObject *made = fresh(), *old = slot->item;
    Py_INCREF(made);
    slot->item = made;
    (void)old; /* leaks */
    return made;
}
METHOD(clear)
{
    PyObject *old = slot->item;
    slot->item = NULL;
    Py_XDECREF(old);
    DONE;
}
METHOD(assure) /* as zope.interface does without its critical section; the interpreter keeps the memory of dicts */
{
    PyObject *cache = PyDict_New();
    slot->item = cache;
    Py_INCREF(cache);
    Py_DECREF(cache);
    DONE;
}
METHOD(publish_atomic)
{
    PyObject *made = fresh(), *old = atomic_exchange(&slot->atomic, made);
    Py_XDECREF(old);
    return Py_NewRef(made);
}
METHOD(publish_cas)
{
    PyObject *made = fresh(), *old = NULL;
    if (!atomic_compare_exchange_strong(&slot->atomic, &old, made))
        Py_SETREF(made, fresh());
    return Py_NewRef(made);
}
METHOD(publish_atomic_owned) /* right */
{
    PyObject *made = fresh();
    Py_INCREF(made);
    PyObject *old = atomic_exchange(&slot->atomic, made);
    Py_XDECREF(old);
    return made;
}
METHOD(clear_atomic)
{
    Py_XDECREF(atomic_exchange(&slot->atomic, NULL));
    DONE;
}
METHOD(publish_in_dict)
{
    PyObject *made = fresh();
    PyDict_SetItemString(slot->dict, "key", made);
    Py_DECREF(made);
    return Py_NewRef(made);
}
METHOD(publish_in_dict_and_return) /* the size of what only the dict owns */
{
    PyObject *made = PyDict_New();
    PyDict_SetItemString(slot->dict, "key", made);
    Py_DECREF(made);
    return PyLong_FromSsize_t(PyDict_Size(made));
}
METHOD(publish_in_dict_owned) /* right */
{
    PyObject *made = fresh();
    PyDict_SetItemString(slot->dict, "key", made);
    return made;
}
METHOD(clear_dict)
{
    PyDict_Clear(slot->dict);
    DONE;
}
METHOD(append)
{
    PyObject *made = fresh();
    PyList_Append(slot->list, made);
    Py_DECREF(made);
    return Py_NewRef(made);
}
METHOD(steal)
{
    PyObject *made = fresh();
    PyList_SetItem(slot->list, 0, made);
    return Py_NewRef(made);
}
METHOD(steal_by_macro)
{
    PyObject *made = fresh(), *old = PyList_GET_ITEM(slot->list, 0);
    PyList_SET_ITEM(slot->list, 0, made);
    Py_XDECREF(old);
    return Py_NewRef(made);
}
METHOD(append_owned) /* right */
{
    PyObject *made = fresh();
    PyList_Append(slot->list, made);
    return made;
}
METHOD(clear_list)
{
    PyList_SetSlice(slot->list, 0, PyList_Size(slot->list), NULL);
    DONE;
}
METHOD(set_attribute)
{
    PyObject *made = fresh();
    PyObject_SetAttrString(slot->object, "cache", made);
    Py_DECREF(made);
    return Py_NewRef(made);
}
METHOD(get_attribute) /* owned, given back, used */
{
    PyObject *got = PyObject_GetAttrString(slot->object, "cache");
    Py_DECREF(got);
    return PyLong_FromSsize_t(PyObject_Length(got));
}
METHOD(get_attribute_owned) /* right */
{
    PyObject *got = PyObject_GetAttrString(slot->object, "cache");
    if (got == NULL)
        return NULL;
    PyObject *length = PyLong_FromSsize_t(PyObject_Length(got));
    Py_DECREF(got);
    return length;
}
METHOD(clear_attribute)
{
    PyObject *empty = PyList_New(0);
    PyObject_SetAttrString(slot->object, "cache", empty);
    Py_DECREF(empty);
    DONE;
}
METHOD(late) /* the lock is let go before the reference is taken */
{
    pthread_mutex_lock(&slot->lock);
    PyObject *item = slot->item;
    pthread_mutex_unlock(&slot->lock);
    return Py_XNewRef(item ? item : Py_None);
}
METHOD(late_use)
{
    pthread_mutex_lock(&slot->lock);
    PyObject *item = slot->item;
    pthread_mutex_unlock(&slot->lock);
    return item ? PyLong_FromSsize_t(PyUnicode_GetLength(item)) : Py_NewRef(Py_None);
}
METHOD(publish_late)
{
    PyObject *made = fresh();
    pthread_mutex_lock(&slot->lock);
    PyObject *old = slot->item;
    slot->item = made;
    pthread_mutex_unlock(&slot->lock);
    Py_XDECREF(old);
    return Py_NewRef(made);
}
METHOD(publish_locked) /* right */
{
    PyObject *made = fresh();
    pthread_mutex_lock(&slot->lock);
    PyObject *old = slot->item;
    slot->item = made;
    Py_INCREF(made);
    pthread_mutex_unlock(&slot->lock);
    Py_XDECREF(old);
    return made;
}
METHOD(locked) /* right */
{
    pthread_mutex_lock(&slot->lock);
    PyObject *item = Py_XNewRef(slot->item);
    pthread_mutex_unlock(&slot->lock);
    return item ? item : Py_NewRef(Py_None);
}
METHOD(clear_locked)
{
    pthread_mutex_lock(&slot->lock);
    PyObject *old = slot->item;
    slot->item = NULL;
    pthread_mutex_unlock(&slot->lock);
    Py_XDECREF(old);
    DONE;
}
static PyObject *drop(Slot *slot, int times) /* right: what is owned may be counted as often as one likes */
{
    pthread_mutex_lock(&slot->lock);
    PyObject *item = Py_XNewRef(slot->item);
    pthread_mutex_unlock(&slot->lock);
    for (int i = 0; item && i < times; i++) {
        Py_INCREF(item);
        PyUnicode_GetLength(item);
        Py_DECREF(item);
    }
    Py_XDECREF(item);
    DONE;
}
METHOD(traffic)
{
    return drop(slot, 5);
}
METHOD(no_traffic)
{
    return drop(slot, 0);
}
METHOD(twice) /* takes a reference, gives it back, and uses on */
{
    pthread_mutex_lock(&slot->lock);
    PyObject *item = Py_XNewRef(slot->item);
    pthread_mutex_unlock(&slot->lock);
    if (item == NULL)
        DONE;
    Py_DECREF(item);
    return PyLong_FromSsize_t(PyUnicode_GetLength(item));
}
METHOD(snapshot) /* of two pointers at once */
{
    PyObject *pair[2];
    memcpy(pair, slot->pair, sizeof pair);
    Py_XINCREF(pair[1]);
    return pair[1] ? pair[1] : Py_NewRef(Py_None);
}
METHOD(snapshot_late)
{
    PyObject *pair[2];
    pthread_mutex_lock(&slot->lock);
    memcpy(pair, slot->pair, sizeof pair);
    pthread_mutex_unlock(&slot->lock);
    Py_XINCREF(pair[1]);
    return pair[1] ? pair[1] : Py_NewRef(Py_None);
}
METHOD(clear_pair)
{
    pthread_mutex_lock(&slot->lock);
    PyObject *old = slot->pair[1];
    slot->pair[1] = NULL;
    pthread_mutex_unlock(&slot->lock);
    Py_XDECREF(old);
    DONE;
}

static PyObject *holder;

static int initialise(PyObject *self, UNUSED PyObject *arguments, UNUSED PyObject *names)
{
    Slot *slot = (Slot *)self;
    PyObject *value = fresh();
    slot->item = fresh();
    slot->dict = PyDict_New();
    slot->list = PyList_New(1);
    PyList_SET_ITEM(slot->list, 0, fresh());
    slot->object = PyObject_CallNoArgs(holder);
    PyObject_SetAttrString(slot->object, "cache", value);
    Py_DECREF(value);
    slot->pair[0] = fresh();
    slot->pair[1] = fresh();
    return pthread_mutex_init(&slot->lock, NULL);
}

static PyObject *set_holder(UNUSED PyObject *module, PyObject *type)
{
    Py_XSETREF(holder, Py_NewRef(type));
    DONE;
}

#define ROW(name)                                                                                                                \
    {                                                                                                                            \
#name, (PyCFunction)name, METH_NOARGS, NULL                                                                              \
    }
static PyMethodDef methods[] = {
    ROW(publish),
    ROW(publish_owned),
    ROW(clear),
    ROW(assure),
    ROW(publish_atomic),
    ROW(publish_cas),
    ROW(publish_atomic_owned),
    ROW(clear_atomic),
    ROW(publish_in_dict),
    ROW(publish_in_dict_and_return),
    ROW(publish_in_dict_owned),
    ROW(clear_dict),
    ROW(append),
    ROW(steal),
    ROW(steal_by_macro),
    ROW(append_owned),
    ROW(clear_list),
    ROW(set_attribute),
    ROW(get_attribute),
    ROW(get_attribute_owned),
    ROW(clear_attribute),
    ROW(late),
    ROW(late_use),
    ROW(publish_late),
    ROW(publish_locked),
    ROW(locked),
    ROW(clear_locked),
    ROW(twice),
    ROW(traffic),
    ROW(no_traffic),
    ROW(snapshot),
    ROW(snapshot_late),
    ROW(clear_pair),
    {NULL, NULL, 0, NULL},
};
static PyMethodDef functions[] = {{"set_holder", set_holder, METH_O, NULL}, {NULL, NULL, 0, NULL}};

static PyTypeObject type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "published.Slot",
    .tp_basicsize = sizeof(Slot),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = initialise,
    .tp_methods = methods,
};

static struct PyModuleDef published = {PyModuleDef_HEAD_INIT, "published", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_published(void)
{
    PyObject *module = PyType_Ready(&type) ? NULL : PyModule_Create(&published);
    return module && PyModule_AddObjectRef(module, "Slot", (PyObject *)&type) == 0 ? module : NULL;
}
