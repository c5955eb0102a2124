/* Synchronisation objects: found by address, named canonically (the same name in equivalent executions).
 *
 * Where libc keeps the truth in the object itself (mutex, semaphore) the model reads it there: nothing to keep in step, and
 * memory that is re-used, copied or re-initialised is right by itself. Conditions keep theirs here. */
#ifndef BPOR_OBJECTS_H
#define BPOR_OBJECTS_H
#include "runtime/runtime.h"
#include "state/digest.h"

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

enum object_end { END_NOT_YET, END_DESTROYED, END_FREED };

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
    bool trusted;         /* trusted code used it out of sight (trust/trust.h) ... */
    bool explored;        /* ... or other code, in a step */
    bool forgotten;       /* its memory is somebody else's, or nobody's */
    uint8_t end;          /* enum object_end; lifetimes.c */
    bool destroyed_first; /* before it was freed */
    bool unmapped;        /* with its memory: that is how it was freed */
    uint8_t marked;       /* bytes that a destroyed one carries its mark in */
    uint16_t ended_by;    /* thread, or BPOR_NO_THREAD: nobody knows */
    uint16_t on_stack_of; /* thread + 1; 0: none */
    uint32_t ended_stack; /* of the free */
    uint16_t owner;       /* mutex: for reports; BPOR_NO_THREAD: free */
    uint64_t write_time;  /* virtual time of its last write and read */
    uint64_t read_time;
    struct readers *readers; /* of a rwlock */
    struct barrier *barrier;
    struct waiters *waiters; /* futex: NULL while nobody waits */
};

struct object *bpor_object(const void *address, enum bpor_object_class class, enum object_family family);
/* The object at an address if it is known already, else NULL. */
struct object *bpor_object_known(const void *address, enum bpor_object_class class);
/* Memory goes back to the allocator: nothing is known any more of what lay in it. */
void bpor_objects_forget(uintptr_t start, size_t bytes);
/* Memory is freed and kept: every call on what lay in it is an error. */
void bpor_objects_free(uintptr_t start, size_t bytes, unsigned by, uint32_t stack);
/* The next known synchronisation object in a range; start with NULL. */
struct object *bpor_object_within(const struct object *previous, uintptr_t start, size_t bytes);
/* A futex was waited for or woken there. */
bool bpor_futex_within(uintptr_t start, size_t bytes);
void bpor_objects_each(void (*visit)(struct object *object));
/* What is known of all objects, in whatever order they were met; one that is as it was when first met says nothing. */
void bpor_objects_digest(struct digest *set);
/* barrier.c, of model: how far it has come. */
void bpor_barriers_reserve(void);
void bpor_barrier_digest(const struct object *object, struct digest *sequence);
/* The live object that a word of memory points to, or NULL. */
const struct object *bpor_object_pointed_at(uint64_t word);
/* The name of an object that has no address of its own: `hash` says which of its class. */
static inline uint64_t bpor_named_object(enum bpor_object_class class, uint64_t hash)
{
    return (uint64_t) class << 60 | (uint64_t)BPOR_PLACE_OTHER << 58 | hash >> 6;
}

/* What the process as a whole is to its threads: trusted code that is in a call, main that is still there, main that has left,
 * signals that are pending for whoever takes them. */
enum process_object { PROCESS_TRUSTED = 1, PROCESS_PRESENT, PROCESS_LEFT, PROCESS_SIGNALS };

static inline uint64_t bpor_process_object(enum process_object which)
{
    return bpor_named_object(BPOR_CLASS_PROCESS, bpor_mix(which, BPOR_CLASS_PROCESS)); /* a name keeps only the upper bits */
}

/* Signals that are pending for a thread. */
static inline uint64_t bpor_signals_of(const struct thread *thread)
{
    return bpor_named_object(BPOR_CLASS_PROCESS, bpor_mix(thread->name, PROCESS_SIGNALS));
}

uint64_t bpor_canonical(uintptr_t address, enum bpor_object_class class, uint64_t *allocation_site);

/* places.c: modules, stacks and thread-local memory */
void bpor_places_prepare(void); /* at the fork point */
bool bpor_module_of(uintptr_t address, unsigned *module, uintptr_t *offset);
/* The thread on whose stack an address lies, or NULL. */
const struct thread *bpor_stack_owner(uintptr_t address);
uint64_t bpor_stack_name(const struct thread *owner, uintptr_t address, enum bpor_object_class class);
void bpor_modules_write(char *text, size_t bytes);

/* heap.c: who allocated what */
struct allocation {
    uintptr_t start;
    size_t size;
    uint64_t site;
    uint32_t next;   /* index + 1 */
    uint32_t region; /* canonical */
    uint32_t born;   /* epoch of the thread that allocated it, while others exist (race.h) */
    uint16_t owner;  /* that thread */
};
/* What it is called. */
static inline void allocation_digest(struct digest *set, const struct allocation *allocation)
{
    struct digest name = digest_of(allocation->start);
    digest_next(&name, allocation->region);
    digest_include(set, name);
}

void bpor_heap_digest(struct digest *set);
void bpor_heap_allocated(void *block, size_t bytes, const void *site);
/* A new block holds the same whoever had it before: a process that others were forked from has a heap of its own history. */
extern bool bpor_heap_fills;
/* A block is no longer one; what lay in it is forgotten unless the block is kept. */
void bpor_heap_freed(void *block, bool kept);
/* The block that begins here, and the one that holds an address; or NULL. */
const struct allocation *bpor_heap_at(uintptr_t start);
const struct allocation *bpor_heap_find(uintptr_t address);
/* The same among the large blocks only, which are few. */
const struct allocation *bpor_heap_find_large(uintptr_t address);
/* Bytes that libc has for a block, also for one from before control began; 0: there is none. */
size_t bpor_libcs_size(uintptr_t start);
/* The running thread is about to write: beyond the end of a block that is an error. */
void bpor_beyond_check(uintptr_t address, size_t bytes);
/* Larger ones are large. */
enum { HEAP_LARGE = 15 << 12 };
/* False: there were too many blocks to know them all. */
bool bpor_heap_knows_all(void);
void bpor_heap_reserve(void);
void bpor_objects_reserve(void);
#endif
