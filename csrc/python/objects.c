/* A reference count is the first word of an object: the word behind it points to the object's type, whose own type is `type` or
 * one of its kind. Followed by reads that cannot fault, because any eight bytes may stand there. */
#define _GNU_SOURCE
#include "python/objects.h"
#include "runtime/objects.h"
#include "runtime/sys.h"
#include <dlfcn.h>
#include <sys/uio.h>

enum { TYPE_OFFSET = 8, COUNT_BYTES = 8 };
#define TYPE_SUBCLASS (1UL << 31) /* Py_TPFLAGS_TYPE_SUBCLASS */

static uintptr_t word_at(uintptr_t address)
{
    uintptr_t word = 0;
    struct iovec here = {&word, sizeof word}, there = {(void *)address, sizeof word};
    long got = sys_call6(SYS_process_vm_readv, sys_getpid(), (long)&here, 1, (long)&there, 1, 0);
    return got == (long)sizeof word ? word : 0;
}

static uintptr_t type_of(uintptr_t object)
{
    return word_at(object + TYPE_OFFSET);
}

/* The type of every object is one whose own type is `type`: only a metaclass says so of itself. */
static bool is_metaclass(uintptr_t type)
{
    unsigned long (*flags_of)(uintptr_t) = (unsigned long (*)(uintptr_t))dlsym(RTLD_DEFAULT, "PyType_GetFlags");
    return flags_of && (flags_of(type) & TYPE_SUBCLASS);
}

static bool is_type(uintptr_t object)
{
    uintptr_t type_type = (uintptr_t)dlsym(RTLD_DEFAULT, "PyType_Type"), meta = object ? type_of(object) : 0;
    return type_type && meta && (meta == type_type || (type_of(meta) == type_type && is_metaclass(meta)));
}

static bool is_reference_count(uintptr_t address, size_t bytes)
{
    uintptr_t object = address & ~(uintptr_t)(COUNT_BYTES - 1); /* newer interpreters use half of the word */
    return address + bytes <= object + COUNT_BYTES && is_type(type_of(object));
}

static bool in_interpreter(uintptr_t address)
{
    unsigned module, interpreter;
    uintptr_t offset, function = (uintptr_t)dlsym(RTLD_DEFAULT, "PyEval_SaveThread");
    return bpor_module_of(address, &module, &offset) && bpor_module_of(function, &interpreter, &offset) && module == interpreter;
}

bool bpor_python_calls(const void *site)
{
    static const void *last;
    static bool answer;
    if (site != last) {
        answer = in_interpreter((uintptr_t)site);
        last = site;
    }
    return answer;
}

bool bpor_python_owns(uintptr_t address, size_t bytes)
{
    return in_interpreter(address) || is_reference_count(address, bytes);
}
