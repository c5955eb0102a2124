/* Containers of C++ whose work is done inside libstdc++, with no lock. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <exception>
#include <list>
#include <map>
#include <string>
#include <thread>

static std::string text;
static std::map<long, long> table;
static std::list<long> items;

static PyObject *append(PyObject *, PyObject *word)
{
    const char *given = PyUnicode_AsUTF8(word);
    text += given;
    Py_RETURN_NONE;
}
static PyObject *all(PyObject *, PyObject *)
{
    return PyUnicode_FromStringAndSize(text.data(), (Py_ssize_t)text.size());
}
static PyObject *insert(PyObject *, PyObject *key)
{
    table.insert({PyLong_AsLong(key), 1});
    Py_RETURN_NONE;
}
static PyObject *has(PyObject *, PyObject *key)
{
    return PyBool_FromLong(table.find(PyLong_AsLong(key)) != table.end());
}
static PyObject *push(PyObject *, PyObject *key)
{
    items.push_back(PyLong_AsLong(key));
    Py_RETURN_NONE;
}
static PyObject *count(PyObject *, PyObject *)
{
    long n = 0;
    for (long i : items) {
        (void)i;
        n++;
    }
    return PyLong_FromLong(n);
}
/* libstdc++ came with this module, out of the sight of others: its functions are not to be had by their names alone. */
static PyObject *append_in_thread(PyObject *, PyObject *word)
{
    const char *given = PyUnicode_AsUTF8(word);
    std::thread appending([given] { text += given; });
    appending.join();
    return PyBool_FromLong(std::get_terminate() != nullptr);
}
static PyMethodDef methods[] = {
    {"append", append, METH_O, NULL},
    {"append_in_thread", append_in_thread, METH_O, NULL},
    {"all", all, METH_NOARGS, NULL},
    {"insert", insert, METH_O, NULL},
    {"has", has, METH_O, NULL},
    {"push", push, METH_O, NULL},
    {"count", count, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "words", NULL, -1, methods, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_words(void)
{
    return PyModule_Create(&definition);
}
