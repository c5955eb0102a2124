/* Functions of extensions are reached through pointers: in definitions of methods and of attributes, and in the slots of types.
 * Each is made to point at a stub of ours, one for every function, which offers the lock and goes on. */
#define _GNU_SOURCE
#include "python/switches.h"
#include "python/gil.h"
#include "python/slots.h"
#include "python/spread.h"
#include "runtime/memory.h"
#include "runtime/real.h"
#include <dlfcn.h>

void bpor_python_switch_function(uintptr_t function);
void bpor_python_switch_type(uintptr_t type, int whatever);
void bpor_python_switch_look(void);

enum { STUBS = 4096, STUB_BYTES = 16, HEADER = 2 * sizeof(uintptr_t) };

typedef void code(void);
static code *behind[STUBS];
static unsigned stubs;
static bool acted[BPOR_MAX_THREADS]; /* since it took the lock a thread has called something that others can see */

code *bpor_switch_visit(unsigned number, const uintptr_t *argument, const void *site);

/* An extension that calls another function does not come by the interpreter's loop: nobody takes the lock from it there. */
code *bpor_switch_visit(unsigned number, const uintptr_t *argument, const void *site)
{
    (void)argument, (void)site;
    if (bpor_controlled() && !bpor->unexplored && bpor->threads > 1 && bpor_gil.mutex && !bpor_gil_is_off() &&
        bpor_gil.holder == bpor_self->id && !bpor_call_inside(bpor_self)) {
        if (acted[bpor_self->id])
            bpor_gil_offer();
        acted[bpor_self->id] = true;
    }
    return behind[number];
}

void bpor_switch_taken(void)
{
    acted[bpor_self->id] = bpor_call_inside(bpor_self); /* in the midst of a function, which goes on to do something */
}

SPREAD("bpor_switch_spread", "bpor_switch_visit");
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden bpor_switch_stubs\n"
        "bpor_switch_stubs:\n"
        ".set number, 0\n"
        ".rept 4096\n"
        "    .p2align 4\n"
        "    movl $number, %r11d\n"
        "    jmp bpor_switch_spread\n"
        "    .set number, number + 1\n"
        ".endr\n"
        ".p2align 4\n");
extern uint8_t bpor_switch_stubs[STUBS][STUB_BYTES];

static bool is_stub(const void *function)
{
    return (uintptr_t)function - (uintptr_t)bpor_switch_stubs < sizeof bpor_switch_stubs;
}

static code *stub_for(code *function)
{
    for (unsigned i = 0; i < stubs; i++)
        if (behind[i] == function)
            return (code *)(uintptr_t)bpor_switch_stubs[i];
    if (stubs == STUBS)
        return NULL;
    behind[stubs] = function;
    return (code *)(uintptr_t)bpor_switch_stubs[stubs++];
}

static void watch(void *slot, bool whatever)
{
    code **function = slot;
    if (*function == NULL || is_stub((const void *)(uintptr_t)*function))
        return;
    if (!whatever && !bpor_slots_are_told((const void *)(uintptr_t)*function))
        return;
    code *stub = stub_for(*function);
    if (stub)
        bpor_slot_put(slot, (void *)(uintptr_t)stub);
}

/* ---- what the interpreter keeps them in ---- */

struct method { /* PyMethodDef */
    const char *name;
    code *function;
    int flags;
    const char *doc;
};

struct attribute { /* PyGetSetDef */
    const char *name;
    code *get;
    code *set;
    const char *doc;
    void *closure;
};

struct type { /* PyTypeObject */
    uintptr_t count, kind;
    intptr_t items;
    const char *name;
    intptr_t basic_size, item_size;
    code *end;
    intptr_t vectorcall_offset;
    code *getattr, *setattr;
    void *as_async;
    code *repr;
    code **as_number, **as_sequence, **as_mapping;
    code *hash, *call, *str, *getattro, *setattro;
    void *as_buffer;
    unsigned long flags;
    const char *doc;
    code *traverse, *clear, *richcompare;
    intptr_t weaklist_offset;
    code *iter, *iternext;
    struct method *methods;
    void *members;
    struct attribute *attributes;
    void *base, *dict;
    code *descr_get, *descr_set;
    intptr_t dict_offset;
    code *init, *alloc, *new;
};
enum { NUMBERS = 36, SEQUENCES = 10, MAPPINGS = 3 };

static void watch_table(code **table, unsigned count)
{
    for (unsigned i = 0; table && i < count; i++)
        watch(&table[i], false);
}

static void watch_slots(struct type *type)
{
    void *slots[] = {&type->getattr,   &type->setattr,   &type->repr,        &type->call, &type->str,
                     &type->getattro,  &type->setattro,  &type->richcompare, &type->iter, &type->iternext,
                     &type->descr_get, &type->descr_set, &type->init,        &type->new};
    for (unsigned i = 0; i < sizeof slots / sizeof slots[0]; i++)
        watch(slots[i], false);
    watch_table(type->as_number, NUMBERS);
    watch_table(type->as_sequence, SEQUENCES);
    watch_table(type->as_mapping, MAPPINGS);
}

/* Objects of a free-threaded build look different. */
static bool wanted(void)
{
    return dlsym(RTLD_DEFAULT, "_Py_MergeZeroLocalRefcount") == NULL;
}

/* Before the fork point: which modules are loaded. */
INTERCEPT void bpor_python_switch_look(void)
{
    bpor_slots_look();
}

/* `whatever`: its methods, whoever they are. */
INTERCEPT void bpor_python_switch_type(uintptr_t address, int whatever)
{
    struct type *type = (struct type *)address;
    if (!wanted())
        return;
    for (struct method *method = type->methods; method && method->name; method++)
        watch(&method->function, whatever);
    for (struct attribute *attribute = type->attributes; attribute && attribute->name; attribute++) {
        watch(&attribute->get, false);
        watch(&attribute->set, false);
    }
    watch_slots(type);
}

/* A function of the C API (PyCFunctionObject, and those of Cython that begin like it). */
INTERCEPT void bpor_python_switch_function(uintptr_t function)
{
    struct method *method = wanted() ? *(struct method **)(function + HEADER) : NULL;
    if (method)
        watch(&method->function, false);
}
