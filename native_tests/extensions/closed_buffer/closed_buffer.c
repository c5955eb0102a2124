/* A buffer that a device fills. A reader lets the GIL go while it waits for the device, and the buffer can be closed.
 *
 * Breaks so: T1 has looked at `bytes` and drops the GIL; T2 closes the buffer, which frees them; T1 has the GIL back and reads what
 * was freed.
 * Fixed: a reader counts itself in while it holds the GIL, and close() refuses as long as there are readers. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

enum { LENGTH = 4 };

typedef struct {
    PyObject ob_base;
    unsigned char *bytes;
    int readers;
} Buffer;

static int buffer_init(PyObject *object, PyObject *unused, PyObject *none)
{
    (void)unused, (void)none;
    Buffer *self = (Buffer *)object;
    self->bytes = calloc(LENGTH, 1);
    return self->bytes ? 0 : -1;
}

static unsigned checksum(const unsigned char *bytes)
{
    unsigned sum = 0;
    for (int i = 0; i < LENGTH; i++)
        sum += bytes[i];
    return sum;
}

static PyObject *buffer_checksum(PyObject *object, PyObject *unused)
{
    (void)unused;
    Buffer *self = (Buffer *)object;
    if (self->bytes == NULL)
        return PyErr_Format(PyExc_ValueError, "closed");
    const unsigned char *bytes = self->bytes;
    self->readers++;
    Py_BEGIN_ALLOW_THREADS; /* stands for the waiting */
    Py_END_ALLOW_THREADS;
    unsigned sum = checksum(bytes);
    self->readers--;
    return PyLong_FromUnsignedLong(sum);
}

static PyObject *buffer_close(PyObject *object, PyObject *unused)
{
    (void)unused;
    Buffer *self = (Buffer *)object;
#ifdef FIXED
    if (self->readers)
        return PyErr_Format(PyExc_BufferError, "being read");
#endif
    free(self->bytes);
    self->bytes = NULL;
    Py_RETURN_NONE;
}

static void buffer_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    free(((Buffer *)object)->bytes);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef buffer_methods[] = {
    {"checksum", buffer_checksum, METH_NOARGS, NULL},
    {"close", buffer_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot buffer_slots[] = {
    {Py_tp_init, buffer_init},
    {Py_tp_dealloc, buffer_dealloc},
    {Py_tp_methods, buffer_methods},
    {0, NULL},
};
static PyType_Spec buffer_spec = {"closed_buffer.Buffer", sizeof(Buffer), 0, Py_TPFLAGS_DEFAULT, buffer_slots};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "closed_buffer", .m_size = -1};

PyMODINIT_FUNC PyInit_closed_buffer(void)
{
    PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&buffer_spec);
    if (module == NULL || type == NULL || PyModule_AddObject(module, "Buffer", type) < 0)
        return NULL;
    return module;
}
