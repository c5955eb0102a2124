/* Memory weaker than sequential consistency (--memory tso|c11): which stores an atomic load may read.
 *
 * Alternative 0 of a load is the newest store, 1, 2, ... are older ones that the model allows and that no other schedule shows
 * anyhow (docs/atomics.md). A load that takes one of them touches nothing: it commutes with everything, and the search stays as
 * it is. Stores are always the newest of their place. bpor/simulate/weak is the same machine for simulated programs.
 *
 * Rooms: causes.c keeps the search's happens-before, stores.c the stores of each place, graph.c what the models forbid beyond
 * what clocks tell, loads.c decides and performs. All of it lies in reserve.h's memory and is rolled back with the rest. */
#ifndef BPOR_WEAK_H
#define BPOR_WEAK_H
#include "runtime/memory.h"
#include "runtime/race.h"

enum {
    WEAK_THREADS = 64,   /* from the next one on, every load reads the newest store */
    WEAK_STORES = 64,    /* of one place: beyond, the oldest is forgotten */
    WEAK_EVENTS = 512,   /* of one execution: beyond, every load reads the newest */
    WEAK_OLD_READS = 64, /* of one thread since it changed anything: likewise */
    MOST_STORES = 1 << 14
};

/* Steps of each thread, as the search orders them. */
struct causes {
    uint32_t at[WEAK_THREADS];
};

struct store {
    value128 value;
    uint32_t older;  /* index + 1 */
    uint32_t step;   /* of the schedule, + 1; 0: it was there before */
    uint32_t serial; /* grows along the execution */
    uint32_t epoch;  /* of its thread, for the race detector */
    uint32_t local;  /* which step of its thread */
    uint16_t thread;
    bool is_first;                     /* the value at first sight: before everything */
    uint32_t released[WEAK_THREADS];   /* what an acquiring load of it has seen */
    uint32_t read_epoch[WEAK_THREADS]; /* when each thread read it first; 0: never */
    struct causes causes;
};

/* ---- loads.c ---- */
extern bool bpor_weak; /* it was asked for, and there are not too many threads */
void bpor_weak_reserve(void);
/* Does an access see an old store, because the schedule asks for that? Then it is performed. */
bool bpor_weak_reads_old(struct thread *thread, struct location *location, struct memory_access *access);
/* The newest store was read, or became one: `value`. `epoch`: bpor_weak_epoch of the thread before it. */
void bpor_weak_performed(struct thread *thread, struct location *location, const struct memory_access *access, bool wrote,
                         value128 value, uint32_t epoch);
uint32_t bpor_weak_epoch(const struct thread *thread);
void bpor_weak_thread_created(const struct thread *thread, const struct thread *creator);
void bpor_weak_fence(struct thread *thread, int order);
/* After a step that is no atomic access. */
void bpor_weak_step(struct thread *thread);

/* ---- causes.c ---- */
void weak_causes_reserve(void);
struct causes *weak_causes(const struct thread *thread);
/* A step begins: it follows what touched the same objects. */
void weak_causes_follow(struct thread *thread, const struct bpor_access *access, unsigned accesses);
void weak_causes_join(struct causes *into, const struct causes *other);
static inline bool weak_covers(const struct causes *causes, const struct store *store)
{
    return store->is_first || causes->at[store->thread] >= store->local;
}

/* ---- stores.c ---- */
/* Its bytes were written or accessed otherwise: what is there now was there before everything. */
void bpor_weak_forget(uintptr_t address, size_t bytes);
void bpor_weak_forget_stores(struct location *location);
void weak_stores_reserve(void);
struct store *weak_store(uint32_t number);
/* The newest store of a place; the value that memory holds, if none is known. */
uint32_t weak_newest(struct location *location, const struct memory_access *access);
/* A store that was just performed. */
uint32_t weak_stored(struct thread *thread, struct location *location, value128 value);

/* ---- graph.c ---- */
struct weak_event {
    uint16_t thread;
    uint8_t order; /* __ATOMIC_* */
    bool stores;
    bool full;      /* TSO: a fence, a locked instruction, or an operation that has one inside */
    bool operation; /* no access */
    uint32_t epoch;
    uint32_t local;
    uint32_t place;  /* number of its location; 0: none */
    uint32_t serial; /* of what it stored */
    uint32_t source; /* serial of what it read; 0: it read nothing */
    uint32_t seen[WEAK_THREADS];
    struct causes causes; /* of operations */
};
void weak_graph_reserve(void);
/* Where there is no room for it, weaker values are offered no more. */
void weak_graph_add(const struct weak_event *event);
bool weak_graph_is_full(void);
/* May the load happen beside all that happened? */
bool weak_graph_allows_c11(const struct weak_event *load);
bool weak_graph_allows_tso(const struct weak_event *load);
#endif
