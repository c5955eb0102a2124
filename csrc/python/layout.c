#define _GNU_SOURCE
#include "python/layout.h"
#include "python/gil.h"
#include "python/objects.h"
#include <dlfcn.h>

enum { HEADER = 16, HEADER_FREE_THREADED = 32, LOCAL_COUNT = 12, SHARED_COUNT = 16, MOST_BYTES = 4096 };
#define ARGUMENTS_OFFSET (1UL << 63) /* PY_VECTORCALL_ARGUMENTS_OFFSET */

size_t bpor_layout_header(void)
{
    return bpor_gil.free_threaded ? HEADER_FREE_THREADED : HEADER;
}

static uintptr_t type_of(uintptr_t object)
{
    return *(const uintptr_t *)(object + bpor_layout_header() - sizeof(uintptr_t));
}

bool bpor_layout_is_object(uintptr_t address)
{
    return address % sizeof(uintptr_t) == 0 && bpor_python_is_object(address);
}

/* Immortal ones count from the sign bit of 32 bits on, in every version that has them. */
bool bpor_layout_is_mortal(uintptr_t object)
{
    if (bpor_in_interpreter(object))
        return false;
    return bpor_gil.free_threaded ? *(const uint32_t *)(object + LOCAL_COUNT) != UINT32_MAX : *(const int32_t *)object >= 0;
}

/* Types of the interpreter's, by their names, up to the first that has none. */
struct types {
    const char *names[16];
    uintptr_t at[16]; /* once they were looked up; one that the interpreter lacks is at 0 */
    bool known;
};

static void look_up(struct types *types)
{
    for (unsigned i = 0; types->names[i]; i++)
        types->at[i] = (uintptr_t)dlsym(RTLD_DEFAULT, types->names[i]);
    types->known = true;
}

static bool is_one_of(uintptr_t type, struct types *types)
{
    if (!types->known)
        look_up(types);
    for (unsigned i = 0; type && types->names[i]; i++)
        if (type == types->at[i])
            return true;
    return false;
}

/* Does one of them stand up to four words before? Of a byte array, which has the longest body, what is read comes last. */
static bool follows_one_of(uintptr_t place, struct types *types)
{
    enum { TYPE_AND_BODY = 4 };
    uintptr_t before[TYPE_AND_BODY];
    if (!bpor_python_words(place - sizeof before, before, TYPE_AND_BODY))
        return false;
    for (unsigned i = 0; i < TYPE_AND_BODY; i++)
        if (is_one_of(before[i], types))
            return true;
    return false;
}

bool bpor_layout_is_mutable(uintptr_t address)
{
    static struct types values = {.names = {"PyUnicode_Type", "PyLong_Type", "PyBytes_Type", "PyFloat_Type", "PyTuple_Type",
                                            "PyBool_Type", "_PyNone_Type", "PyType_Type", "PyComplex_Type", "PySlice_Type",
                                            "PyFrozenSet_Type", "PyModule_Type"}};
    return address && bpor_layout_is_object(address) && !bpor_in_interpreter(address) && !is_one_of(type_of(address), &values);
}

bool bpor_layout_is_kept(uintptr_t object)
{
    static struct types kept = {.names = {"PyDict_Type", "PyList_Type", "PyTuple_Type", "PyFloat_Type", "PySlice_Type",
                                          "PyLong_Type", "PyMethod_Type", "PyContext_Type", "PyRange_Type"}};
    return is_one_of(type_of(object), &kept);
}

bool bpor_layout_is_in_tuple(uintptr_t place)
{
    enum { MOST_ITEMS = 16, TYPE_AND_SIZE = 2 };
    static uintptr_t tuple_type;
    uintptr_t before[TYPE_AND_SIZE + MOST_ITEMS];
    size_t words = sizeof before / sizeof before[0];
    if (tuple_type == 0)
        tuple_type = (uintptr_t)dlsym(RTLD_DEFAULT, "PyTuple_Type");
    if (!bpor_python_words(place - sizeof before, before, words))
        return false;
    for (size_t i = 0; i + TYPE_AND_SIZE <= words; i++)
        if (before[i] == tuple_type && before[i + 1] > words - TYPE_AND_SIZE - i)
            return true;
    return false;
}

bool bpor_layout_is_in_body(uintptr_t place)
{
    static struct types changing = {.names = {"PyList_Type", "PyByteArray_Type", "PyDict_Type", "PySet_Type"}};
    return follows_one_of(place, &changing);
}

bool bpor_layout_is_constant(uintptr_t place)
{
    static struct types constant = {.names = {"PyFloat_Type", "PyLong_Type", "PyMethod_Type", "PySlice_Type", "PyRange_Type"}};
    return follows_one_of(place, &constant) || bpor_layout_is_in_tuple(place);
}

bool bpor_layout_is_list_size(uintptr_t place)
{
    static struct types list = {.names = {"PyList_Type"}};
    uintptr_t type;
    return bpor_python_word(place - sizeof type, &type) && is_one_of(type, &list);
}

bool bpor_layout_is_referent(uintptr_t place)
{
    static struct types weak = {.names = {"_PyWeakref_RefType", "_PyWeakref_ProxyType", "_PyWeakref_CallableProxyType"}};
    uintptr_t type;
    return bpor_python_word(place - sizeof type, &type) && is_one_of(type, &weak);
}

struct type_body { /* of a PyTypeObject, behind its header */
    intptr_t size;
    const char *name;
    size_t basic_size;
    size_t item_size;
};

size_t bpor_layout_size(uintptr_t object)
{
    size_t header = bpor_layout_header();
    const struct type_body *type = (const struct type_body *)(type_of(object) + header);
    size_t items = type->item_size ? *(const size_t *)(object + header) : 0, most = MOST_BYTES / sizeof(uintptr_t);
    size_t bytes = type->basic_size + (items < most ? items : most) * type->item_size;
    return bytes > MOST_BYTES ? MOST_BYTES : bytes;
}

/* Half of the word has it in every version; the rest are flags from 3.14 on. */
uint32_t bpor_layout_count(uintptr_t object)
{
    if (bpor_gil.free_threaded)
        return *(const uint32_t *)(object + LOCAL_COUNT) + (uint32_t)(*(const int64_t *)(object + SHARED_COUNT) >> 2);
    return *(const uint32_t *)object;
}

bool bpor_layout_is_dead(uintptr_t object)
{
    return bpor_layout_count(object) == 0;
}

bool bpor_layout_counts(uintptr_t object, uintptr_t address)
{
    return address - object < bpor_layout_header() - sizeof(uintptr_t);
}

/* Of a PyCFunctionObject and of a PyMethodObject alike it is the second word behind the header. */
uintptr_t bpor_layout_bound_to(uintptr_t callable)
{
    static struct types bound = {.names = {"PyCFunction_Type", "PyMethod_Type"}};
    if (!bpor_layout_is_object(callable) || !is_one_of(type_of(callable), &bound))
        return callable;
    uintptr_t self = *(const uintptr_t *)(callable + bpor_layout_header() + sizeof(uintptr_t));
    return self ? self : callable;
}

uintptr_t bpor_layout_argument(uintptr_t arguments, uintptr_t count, unsigned number)
{
    return arguments && number < (count & ~ARGUMENTS_OFFSET) ? ((const uintptr_t *)arguments)[number] : 0;
}
