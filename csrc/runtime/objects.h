/* Synchronisation objects: found by address, named canonically (the same name in equivalent executions).
 *
 * Where libc keeps the truth in the object itself (mutex, semaphore) the model reads it there: nothing to keep in step, and
 * memory that is re-used, copied or re-initialised is right by itself. Conditions keep theirs here. */
#ifndef BPOR_OBJECTS_H
#define BPOR_OBJECTS_H
#include "runtime/digest.h"
#include "runtime/runtime.h"

enum object_family {
    FAMILY_NONE,
    FAMILY_MUTEX,
    FAMILY_CONDITION,
    FAMILY_SEMAPHORE,
    FAMILY_RWLOCK,
    FAMILY_SPIN,
    FAMILY_BARRIER,
    FAMILY_ONCE,
    FAMILY_GUARD,
    FAMILY_FUTEX,
    FAMILY_CHANNEL,
    FAMILY_STREAM,
    FAMILY_GIL,
    FAMILY_PYTHON_LOCK
};

struct readers;
struct barrier;
struct waiters;

struct object {
    uint64_t id; /* canonical, as on the wire */
    uintptr_t address;
    uint32_t next; /* in its hash chain, index + 1 */
    uint8_t class;
    uint8_t family;
    bool live;
    uint16_t owner;      /* mutex: for reports; BPOR_NO_THREAD: free */
    uint64_t write_time; /* virtual time of its last write and read */
    uint64_t read_time;
    struct readers *readers; /* of a rwlock */
    struct barrier *barrier;
    struct waiters *waiters; /* futex: NULL while nobody waits */
};

struct object *bpor_object(const void *address, enum bpor_object_class class, enum object_family family);
/* The object at an address if it is known already, else NULL. */
struct object *bpor_object_known(const void *address, enum bpor_object_class class);
/* Memory goes back to the allocator: what lay in it is gone. */
void bpor_objects_forget(uintptr_t start, size_t bytes);
void bpor_objects_each(void (*visit)(struct object *object));
/* What is known of all objects, in whatever order they were met; one that is as it was when first met says nothing. */
void bpor_objects_digest(struct digest *set);
/* The live object that a word of memory points to, or NULL. */
const struct object *bpor_object_pointed_at(uint64_t word);
/* The name of an object that has no address of its own: `hash` says which of its class. */
static inline uint64_t bpor_named_object(enum bpor_object_class class, uint64_t hash)
{
    return (uint64_t) class << 60 | (uint64_t)BPOR_PLACE_OTHER << 58 | hash >> 6;
}

uint64_t bpor_canonical(uintptr_t address, enum bpor_object_class class, uint64_t *allocation_site);

/* places.c: modules and stacks */
bool bpor_module_of(uintptr_t address, unsigned *module, uintptr_t *offset);
/* The thread on whose stack an address lies, or NULL. */
const struct thread *bpor_stack_owner(uintptr_t address);
void bpor_modules_write(char *text, size_t bytes);

/* heap.c: who allocated what */
struct allocation {
    uintptr_t start;
    size_t size;
    uint64_t site;
    uint32_t next;   /* index + 1 */
    uint32_t region; /* canonical */
};
void bpor_heap_allocated(void *block, size_t bytes, const void *site);
void bpor_heap_freed(void *block);
const struct allocation *bpor_heap_find(uintptr_t address);
void bpor_heap_reserve(void);
void bpor_objects_reserve(void);
#endif
