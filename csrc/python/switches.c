/* Functions of extensions are reached through pointers: in definitions of methods and of attributes, and in the slots of types.
 * Each is made to point at a stub of ours, one for every function, which offers the lock and goes on. */
#define _GNU_SOURCE
#include "python/switches.h"
#include "memory/memory.h"
#include "python/entries.h"
#include "python/gil.h"
#include "python/layout.h"
#include "python/lock_methods.h"
#include "python/objects.h"
#include "python/references.h"
#include "python/slots.h"
#include "python/spread.h"
#include "runtime/real.h"
#include <dlfcn.h>
#include <link.h>

void bpor_python_switch_function(uintptr_t function);
void bpor_python_switch_type(uintptr_t type);
void bpor_python_switch_lock(uintptr_t type, uintptr_t held);
void bpor_python_switch_look(void);
void bpor_python_switch_next(uintptr_t type);

enum { STUBS = 4096, STUB_BYTES = 16, UNKNOWN = STUBS }; /* a function that no stub is in front of */

typedef void code(void);
static code *behind[STUBS];
static uint8_t lock_method[STUBS]; /* of a lock, and which */
static bool iterates[STUBS + 1];   /* the next of an iterator */
static bool quiet[STUBS];          /* not called by a bytecode of its own */
static bool ends[STUBS];           /* the deallocator of a type */
static bool by_call[STUBS + 1] = {[UNKNOWN] =
                                      true}; /* a bytecode that calls it is followed by a look at whether others want the lock */
static unsigned stubs;
static bool acted[BPOR_MAX_THREADS]; /* since it took the lock a thread has called something that others can see */
static bool last_by_call[BPOR_MAX_THREADS];
static const void *visited[BPOR_MAX_THREADS]; /* where the function is called from whose stub a thread has just passed */

code *bpor_switch_visit(unsigned number, const uintptr_t *argument, const void *site);

/* ---- bytecodes ---- */

static uintptr_t loop_start, loop_end; /* of the function that executes bytecodes */
static const void *next_site;          /* where the builtin next() calls */
static int (*instruction_of)(void *frame);

/* One bytecode may make several calls: list(x) asks x for an iterator, for its length and for all that it has. Before the first
 * of them a thread can be left, not later. The same call at the same place again is the bytecode once more, in a loop of
 * Python's, unless the interpreter itself asks for the next of an iterator. */
static bool between_bytecodes(unsigned number, const void *site)
{
    static struct first {
        void *frame;
        const void *site;
        int instruction;
        unsigned number;
    } firsts[BPOR_MAX_THREADS];
    struct first *first = &firsts[bpor_self->id];
    struct first now = {bpor_entry_current(), site, -1, number};
    if (now.frame == NULL || now.frame == bpor_entry_frame(bpor_self))
        return false; /* the extension makes the call by itself, not a bytecode */
    now.instruction = instruction_of(now.frame);
    if (now.frame != first->frame || now.instruction != first->instruction) {
        *first = now;
        return true;
    }
    return now.site == first->site && now.number == first->number &&
           (!iterates[number] || site == next_site || (uintptr_t)site - loop_start < loop_end - loop_start);
}

static void *note_next(void *iterator)
{
    (void)iterator;
    next_site = __builtin_return_address(0);
    return NULL;
}

/* ---- calls ---- */

static void offer(unsigned number, const void *site)
{
    if (!bpor_gil.mutex || bpor_gil_is_off() || bpor_gil.holder != bpor_self->id)
        return;
    if (bpor_references_any() && bpor_call_depth(bpor_self) == 0)
        bpor_references_forget();
    if (between_bytecodes(number, site) && acted[bpor_self->id])
        bpor_gil_offer();
    acted[bpor_self->id] = true;
    last_by_call[bpor_self->id] = by_call[number];
}

void bpor_switch_begin(void)
{
    acted[bpor_self->id] = last_by_call[bpor_self->id] = false;
}

bool bpor_switch_end(void)
{
    bool offers = acted[bpor_self->id] && last_by_call[bpor_self->id];
    acted[bpor_self->id] = true;
    return offers;
}

static void visit(unsigned number, const uintptr_t *argument, const void *site)
{
    visited[bpor_self->id] = site;
    if (quiet[number])
        return;
    if (ends[number]) {
        bpor_reference_ends(argument[0], true, bpor_references_site(site));
        return;
    }
    offer(number, site);
    if (lock_method[number])
        bpor_lock_method_step(lock_method[number], argument[0], site);
}

static code *deallocators[BPOR_MAX_THREADS]; /* the one that is called next */

static void deallocate(uintptr_t object)
{
    ((void (*)(uintptr_t))deallocators[bpor_self->id])(object);
    bpor_reference_ended(object);
}

code *bpor_switch_visit(unsigned number, const uintptr_t *argument, const void *site)
{
    if (!bpor_controlled() || bpor->unexplored || bpor->threads == 1)
        return behind[number];
    visit(number, argument, site);
    if (!ends[number])
        return behind[number];
    deallocators[bpor_self->id] = behind[number];
    return (code *)deallocate;
}

/* Callables of nanobind, and functions that an extension makes while it runs, are in no table that stubs could be put into. */
void bpor_switch_entered(const struct thread *thread, const void *caller)
{
    bool has_passed_a_stub = visited[thread->id] == caller;
    visited[thread->id] = NULL;
    if (!has_passed_a_stub && bpor_controlled() && !bpor->unexplored && bpor->threads > 1 && bpor_python_calls(caller))
        offer(UNKNOWN, caller);
}

void bpor_switch_taken(void)
{
    acted[bpor_self->id] = bpor_call_depth(bpor_self) > 0; /* in the midst of a function, which goes on to do something */
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

static unsigned number_of(code *stub)
{
    return (unsigned)(((uintptr_t)stub - (uintptr_t)bpor_switch_stubs) / STUB_BYTES);
}

static code *stub_for(code *function, enum lock_method method)
{
    for (unsigned i = 0; i < stubs; i++)
        if (behind[i] == function)
            return (code *)(uintptr_t)bpor_switch_stubs[i];
    if (stubs == STUBS)
        return NULL;
    lock_method[stubs] = (uint8_t)method;
    behind[stubs] = function;
    return (code *)(uintptr_t)bpor_switch_stubs[stubs++];
}

static void put_stub(void *slot, enum lock_method method)
{
    code **function = slot;
    if (*function == NULL || is_stub((const void *)(uintptr_t)*function))
        return;
    code *stub = stub_for(*function, method);
    if (stub)
        bpor_slot_put(slot, (void *)(uintptr_t)stub);
}

static void watch(void *slot)
{
    if (bpor_slots_are_told(*(const void **)slot))
        put_stub(slot, LOCK_METHOD_NONE);
}

static void watch_call(code **slot)
{
    watch(slot);
    if (is_stub((const void *)(uintptr_t)*slot))
        by_call[number_of(*slot)] = true;
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

struct type { /* PyTypeObject, behind its header */
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
    code **as_buffer;
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
    code *init, *alloc, *new, *free, *is_collected;
    void *bases, *mro, *cache, *subclasses, *weaklist;
    code *del;
    unsigned version;
    code *finalize;
};
enum { NUMBERS = 36, SEQUENCES = 10, MAPPINGS = 3, BUFFERS = 2 };

static void watch_quietly(code **slot)
{
    watch(slot);
    if (is_stub((const void *)(uintptr_t)*slot))
        quiet[number_of(*slot)] = true;
}

static void watch_table(code **table, unsigned count)
{
    for (unsigned i = 0; table && i < count; i++)
        watch(&table[i]);
}

static void watch_slots(struct type *type)
{
    void *slots[] = {&type->getattr,     &type->setattr, &type->repr,     &type->str,       &type->getattro, &type->setattro,
                     &type->richcompare, &type->iter,    &type->iternext, &type->descr_get, &type->descr_set};
    for (unsigned i = 0; i < sizeof slots / sizeof slots[0]; i++)
        watch(slots[i]);
    code **quiet_slots[] = {&type->hash, &type->traverse, &type->clear, &type->del, &type->finalize};
    for (unsigned i = 0; i < sizeof quiet_slots / sizeof quiet_slots[0]; i++)
        watch_quietly(quiet_slots[i]);
    for (unsigned i = 0; type->as_buffer && i < BUFFERS; i++)
        watch_quietly(&type->as_buffer[i]);
    watch_call(&type->call);
    watch_call(&type->init);
    watch_call(&type->new);
    if (is_stub((const void *)(uintptr_t)type->iternext))
        iterates[number_of(type->iternext)] = true;
    watch_table(type->as_number, NUMBERS);
    watch_table(type->as_sequence, SEQUENCES);
    watch_table(type->as_mapping, MAPPINGS);
}

/* A deallocation is always wanted, even if the interpreter causes it by dropping the object from a container. */
static void watch_end(struct type *type)
{
    watch(&type->end);
    if (is_stub((const void *)(uintptr_t)type->end))
        ends[number_of(type->end)] = true;
}

static struct type *type_at(uintptr_t address)
{
    return (struct type *)(address + bpor_layout_header());
}

/* Before the fork point: which modules are loaded, and how objects look. */
INTERCEPT void bpor_python_switch_look(void)
{
    bpor_gil_look();
    bpor_slots_look();
    instruction_of = (int (*)(void *))dlsym(RTLD_DEFAULT, "PyFrame_GetLasti");
    Dl_info where;
    const ElfW(Sym) *symbol = NULL;
    void *loop = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
    if (loop && dladdr1(loop, &where, (void **)&symbol, RTLD_DL_SYMENT) && symbol) {
        loop_start = (uintptr_t)loop;
        loop_end = loop_start + symbol->st_size;
    }
}

/* A type of whose objects the next one is asked for: by next(), right after this. */
INTERCEPT void bpor_python_switch_next(uintptr_t address)
{
    if (!bpor_gil.free_threaded)
        bpor_slot_put((void **)&type_at(address)->iternext, (void *)(uintptr_t)note_next);
}

/* Where there is no lock to be offered, other instrumented functions need no stub. */
INTERCEPT void bpor_python_switch_type(uintptr_t address)
{
    struct type *type = type_at(address);
    watch_end(type);
    if (bpor_gil.free_threaded)
        return;
    for (struct method *method = type->methods; method && method->name; method++)
        watch_call(&method->function);
    for (struct attribute *attribute = type->attributes; attribute && attribute->name; attribute++) {
        watch(&attribute->get);
        watch(&attribute->set);
    }
    watch_slots(type);
}

/* Of locks, all methods. `held`: one of that type that its caller has. */
INTERCEPT void bpor_python_switch_lock(uintptr_t address, uintptr_t held)
{
    bool unseen = bpor_lock_methods_are_unseen(held);
    for (struct method *method = type_at(address)->methods; method && method->name; method++)
        put_stub(&method->function, unseen ? bpor_lock_method(method->name) : LOCK_METHOD_NONE);
}

/* A function of the C API (PyCFunctionObject, and those of Cython that begin like it). */
INTERCEPT void bpor_python_switch_function(uintptr_t function)
{
    struct method *method = bpor_gil.free_threaded ? NULL : *(struct method **)(function + bpor_layout_header());
    if (method)
        watch_call(&method->function);
}
