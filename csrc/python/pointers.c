#define _GNU_SOURCE
#include "python/pointers.h"
#include "arch/x86_64/page.h"
#include "python/gil.h"
#include "python/objects.h"
#include <dlfcn.h>

/* They make an object or take its memory back, and reach no other. */
static const char *const harmless[] = {"PyType_GenericAlloc", "PyType_GenericNew",          "PyObject_Free",
                                       "PyObject_GC_Del",     "PyObject_SelfIter",          "_PyObject_GC_New",
                                       "PyObject_Del",        "PyObject_HashNotImplemented"};
enum { HARMLESS = sizeof harmless / sizeof harmless[0] };
static uintptr_t address_of[HARMLESS];

void bpor_pointers_find(void)
{
    for (unsigned i = 0; i < HARMLESS; i++)
        address_of[i] = (uintptr_t)dlsym(RTLD_DEFAULT, harmless[i]);
}

static bool is_harmless(uintptr_t function)
{
    for (unsigned i = 0; i < HARMLESS; i++)
        if (address_of[i] == function)
            return true;
    return false;
}

void bpor_pointer_read(uintptr_t address)
{
    uint32_t *containers = &bpor->shared->containers;
    if (*containers & BPOR_CONTAINER_POINTER || bpor->threads == 1 || bpor->unexplored || !bpor_gil_is_off() || address < PAGE)
        return;
    uintptr_t word = *(const uintptr_t *)address; /* the program reads it next, whatever stands there */
    if (bpor_python_calls((const void *)word) && !is_harmless(word))
        *containers |= BPOR_CONTAINER_POINTER;
}
