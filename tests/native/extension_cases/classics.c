/* Classic mistakes of extensions without the GIL, each beside what brings it out, and the same done right. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <structmember.h>
#define UNUSED __attribute__((unused))

typedef struct {
    PyObject *cache;
    PyObject *config;
} State;
typedef struct {
    int generation;
    int alive;
} Context;

typedef struct {
    PyObject_HEAD PyObject *item, *callback, *name, *bytes, *list, *dict, *weak, *target, *capsule, *cell;
    char *buffer;
    Py_ssize_t size;
    pthread_mutex_t lock;
} Box;

static PyObject *self_module;
#define METHOD(name) static PyObject *name(Box *box, UNUSED PyObject *none)
#define FUNCTION(name) static PyObject *name(UNUSED PyObject *module, UNUSED PyObject *none)
#define DONE Py_RETURN_NONE
static PyObject *fresh(void)
{
    return PyUnicode_FromFormat("fresh %d", 1000);
}

/* module state cache */
FUNCTION(state_cache)
{
    State *state = PyModule_GetState(self_module);
    if (state->cache == NULL)
        state->cache = PyDict_New();
    return Py_NewRef(state->cache);
}
/* no object, though it looks like one: a number before a type */
static struct kind {
    Py_ssize_t hits;
    PyTypeObject *type;
} * kind;
FUNCTION(make_kind)
{
    kind = malloc(sizeof *kind);
    *kind = (struct kind){1, &PyList_Type};
    DONE;
}
FUNCTION(hit_kind)
{
    kind->hits++;
    return PyLong_FromSsize_t(kind->hits);
}
/* static lazily initialised, flag first */
static PyObject *lazy;
static int ready;
FUNCTION(lazy_flag)
{
    if (!ready) {
        ready = 1;
        lazy = fresh();
    }
    return PyLong_FromSsize_t(PyUnicode_GetLength(lazy));
}
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_lazy(void)
{
    lazy = fresh();
}
FUNCTION(lazy_once)
{
    pthread_once(&once, make_lazy);
    return PyLong_FromSsize_t(PyUnicode_GetLength(lazy));
}
/* borrowed module */
FUNCTION(add_module)
{
    PyObject *found = PyImport_AddModule("a_module_of_mine");
    return PyObject_GetAttrString(found, "__name__");
}
FUNCTION(drop_module)
{
    PyObject *modules = PyImport_GetModuleDict();
    if (PyDict_DelItemString(modules, "a_module_of_mine"))
        PyErr_Clear();
    DONE;
}
FUNCTION(import_module)
{
    PyObject *found = PyImport_AddModuleObject(PyUnicode_InternFromString("a_module_of_mine"));
    Py_XINCREF(found);
    return found;
}
FUNCTION(sys_object)
{
    PyObject *object = PySys_GetObject("of_mine");
    return object ? Py_NewRef(object) : Py_NewRef(Py_None);
}
FUNCTION(drop_sys_object)
{
    PySys_SetObject("of_mine", NULL);
    DONE;
}
/* iterate a list by macros */
static PyObject *first_macro(UNUSED PyObject *module, PyObject *list)
{
    return PyList_GET_SIZE(list) ? Py_NewRef(PyList_GET_ITEM(list, 0)) : Py_NewRef(Py_None);
}
static PyObject *first_owned(UNUSED PyObject *module, PyObject *list)
{
    PyObject *first = PySequence_GetItem(list, 0);
    PyErr_Clear();
    return first ? first : Py_NewRef(Py_None);
}
static PyObject *dict_sum(UNUSED PyObject *module, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    long sum = 0;
    while (PyDict_Next(dict, &at, &key, &value))
        sum += PyObject_Length(value);
    return PyLong_FromLong(sum);
}
/* buffer exports */
METHOD(first_byte)
{
    char *seen = box->buffer;
    long sum = 0;
    for (Py_ssize_t i = 0; i < box->size; i++)
        sum += seen[i];
    return PyLong_FromLong(sum);
}
METHOD(grow)
{
    box->buffer = PyMem_RawRealloc(box->buffer, 4096);
    box->size = 64;
    DONE;
}
static PyObject *held_buffer(Box *box, PyObject *other)
{
    Py_buffer view;
    long sum = 0;
    if (PyObject_GetBuffer(other, &view, PyBUF_SIMPLE))
        return NULL;
    for (Py_ssize_t i = 0; i < view.len; i++)
        sum += ((char *)view.buf)[i];
    PyBuffer_Release(&view);
    (void)box;
    return PyLong_FromLong(sum);
}
static int get_buffer(Box *box, Py_buffer *view, int flags)
{
    return PyBuffer_FillInfo(view, (PyObject *)box, box->buffer, box->size, 1, flags);
}
/* weakref beside the end */
METHOD(from_weak)
{
    PyObject *object = PyWeakref_GET_OBJECT(box->weak);
    return object == Py_None ? Py_NewRef(Py_None) : Py_NewRef(object);
}
METHOD(drop_target)
{
    Py_CLEAR(box->target);
    DONE;
}
/* capsules */
METHOD(capsule_read)
{
    Context *context = PyCapsule_GetPointer(box->capsule, "c");
    return PyLong_FromLong(context->generation);
}
METHOD(capsule_replace)
{
    Context *old = PyCapsule_GetPointer(box->capsule, "c"), *new = malloc(sizeof *new);
    *new = (Context){2, 1};
    PyCapsule_SetPointer(box->capsule, new);
    free(old);
    DONE;
}
/* a static buffer */
static char text[64];
static PyObject *format_static(UNUSED PyObject *module, PyObject *number)
{
    snprintf(text, sizeof text, "number %ld", PyLong_AsLong(number));
    return PyUnicode_FromString(text);
}
static PyObject *format_local(UNUSED PyObject *module, PyObject *number)
{
    char mine[64];
    snprintf(mine, sizeof mine, "number %ld", PyLong_AsLong(number));
    return PyUnicode_FromString(mine);
}
static char word[8];
static PyObject *copy_static(UNUSED PyObject *module, PyObject *number)
{
    const char *digits = PyLong_AsLong(number) == 1 ? "aaaaaaa" : "bbbbbbb";
    strcpy(word, digits);
    return PyUnicode_FromString(word);
}
/* a count of one */
METHOD(bytes_of_locked)
{
    pthread_mutex_lock(&box->lock);
    PyObject *bytes = Py_NewRef(box->bytes);
    pthread_mutex_unlock(&box->lock);
    return bytes;
}
METHOD(change_if_alone)
{
    PyObject *bytes = box->bytes;
    if (Py_REFCNT(bytes) == 1)
        PyBytes_AS_STRING(bytes)[0] = 'X';
    DONE;
}
METHOD(change_if_alone_locked)
{
    pthread_mutex_lock(&box->lock);
    PyObject *bytes = box->bytes;
    if (Py_REFCNT(bytes) == 1)
        PyBytes_AS_STRING(bytes)[0] = 'X';
    pthread_mutex_unlock(&box->lock);
    DONE;
}
/* a pointer into a string */
METHOD(name_first)
{
    const char *utf8 = PyUnicode_AsUTF8(box->name);
    return PyLong_FromLong(utf8[0]);
}
METHOD(rename_it)
{
    PyObject *old = box->name;
    box->name = fresh();
    Py_DECREF(old);
    DONE;
}
/* callback */
METHOD(fire)
{
    return box->callback ? PyObject_CallNoArgs(box->callback) : Py_NewRef(Py_None);
}
METHOD(fire_owned)
{
    pthread_mutex_lock(&box->lock);
    PyObject *callback = Py_XNewRef(box->callback);
    pthread_mutex_unlock(&box->lock);
    PyObject *result = callback ? PyObject_CallNoArgs(callback) : Py_NewRef(Py_None);
    Py_XDECREF(callback);
    return result;
}
METHOD(unset_callback)
{
    pthread_mutex_lock(&box->lock);
    PyObject *old = box->callback;
    box->callback = NULL;
    pthread_mutex_unlock(&box->lock);
    Py_XDECREF(old);
    DONE;
}
/* members that the interpreter sets, and other places where only it writes */
METHOD(get_item)
{
    return Py_NewRef(box->item);
}
METHOD(item_length)
{
    return PyLong_FromSsize_t(PyUnicode_GET_LENGTH(box->item));
}
METHOD(from_cell)
{
    return Py_NewRef(PyCell_GET(box->cell));
}
static PyObject *first_of(UNUSED PyObject *module, PyObject *args)
{
    PyObject *a, *b;
    return PyArg_ParseTuple(args, "OO", &a, &b) ? Py_NewRef(PyTuple_GET_ITEM(args, 0)) : NULL;
}
/* PyList_Append beside a borrowed item by macro */
METHOD(list_append)
{
    PyObject *made = fresh();
    PyList_Append(box->list, made);
    Py_DECREF(made);
    DONE;
}
METHOD(list_first)
{
    PyObject *first = PyList_GET_ITEM(box->list, 0);
    return Py_NewRef(first);
}

static int initialise(PyObject *self, UNUSED PyObject *arguments, UNUSED PyObject *names)
{
    Box *box = (Box *)self;
    Context *context = malloc(sizeof *context), *other = malloc(sizeof *other);
    *context = (Context){1, 1};
    *other = (Context){1, 1};
    box->item = fresh();
    box->name = fresh();
    box->bytes = PyBytes_FromString("bytes of mine");
    box->list = PyList_New(1);
    PyList_SET_ITEM(box->list, 0, fresh());
    box->dict = PyDict_New();
    box->target = PySet_New(NULL);
    box->weak = PyWeakref_NewRef(box->target, NULL);
    box->capsule = PyCapsule_New(context, "c", NULL);
    PyCapsule_SetContext(box->capsule, other);
    box->buffer = PyMem_RawMalloc(16);
    memset(box->buffer, 1, 16);
    box->size = 16;
    PyObject *builtins = PyEval_GetBuiltins();
    box->callback = PyObject_CallNoArgs(PyDict_GetItemString(builtins, "object"));
    return pthread_mutex_init(&box->lock, NULL);
}
static PyObject *set_callback(Box *box, PyObject *callback)
{
    Py_XSETREF(box->callback, Py_NewRef(callback));
    DONE;
}

static PyMemberDef members[] = {{"item", T_OBJECT_EX, offsetof(Box, item), 0, NULL},
                                {"weak", T_OBJECT_EX, offsetof(Box, weak), 0, NULL},
                                {"list", T_OBJECT_EX, offsetof(Box, list), 0, NULL},
                                {"cell", T_OBJECT_EX, offsetof(Box, cell), 0, NULL},
                                {NULL, 0, 0, 0, NULL}};
#define ROW(name)                                                                                                                \
    {                                                                                                                            \
#name, (PyCFunction)name, METH_NOARGS, NULL                                                                              \
    }
#define ROW1(name)                                                                                                               \
    {                                                                                                                            \
#name, (PyCFunction)name, METH_O, NULL                                                                                   \
    }
static PyMethodDef methods[] = {ROW(first_byte),
                                ROW(grow),
                                ROW1(held_buffer),
                                ROW(from_weak),
                                ROW(drop_target),
                                ROW(capsule_read),
                                ROW(capsule_replace),
                                ROW(bytes_of_locked),
                                ROW(change_if_alone),
                                ROW(change_if_alone_locked),
                                ROW(name_first),
                                ROW(rename_it),
                                ROW(fire),
                                ROW(fire_owned),
                                ROW(unset_callback),
                                ROW(get_item),
                                ROW(item_length),
                                ROW(from_cell),
                                ROW(list_append),
                                ROW(list_first),
                                ROW1(set_callback),
                                {NULL, NULL, 0, NULL}};
static PyMethodDef functions[] = {ROW(state_cache),
                                  ROW(make_kind),
                                  ROW(hit_kind),
                                  ROW(lazy_flag),
                                  ROW(lazy_once),
                                  ROW(add_module),
                                  ROW(drop_module),
                                  ROW(import_module),
                                  ROW(sys_object),
                                  ROW(drop_sys_object),
                                  ROW1(first_macro),
                                  ROW1(first_owned),
                                  ROW1(dict_sum),
                                  ROW1(format_static),
                                  ROW1(format_local),
                                  ROW1(copy_static),
                                  {"first_of", first_of, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
static PyBufferProcs buffer = {(getbufferproc)get_buffer, NULL};
static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "classics.Box",
                            .tp_basicsize = sizeof(Box),
                            .tp_flags = Py_TPFLAGS_DEFAULT,
                            .tp_new = PyType_GenericNew,
                            .tp_init = initialise,
                            .tp_methods = methods,
                            .tp_members = members,
                            .tp_as_buffer = &buffer};
static struct PyModuleDef classics = {PyModuleDef_HEAD_INIT, "classics", NULL, sizeof(State), functions, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_classics(void)
{
    PyObject *module = PyType_Ready(&type) ? NULL : PyModule_Create(&classics);
    self_module = module;
    return module && PyModule_AddObjectRef(module, "Box", (PyObject *)&type) == 0 ? module : NULL;
}
