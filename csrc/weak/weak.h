/* Memory weaker than sequential consistency (--memory tso|c11): which stores an atomic access may read, and where its own may
 * come in the order of stores of its place.
 *
 * Alternative 0 of an access is the newest store, 1, 2, ... are older ones that the model allows and that no other schedule shows
 * anyhow (docs/atomics.md): a load reads it, a store comes right after it, a read-modify-write does both. A load that takes one
 * of them touches nothing: it commutes with everything, and the search stays as it is. A store that comes before newer ones does
 * not change what memory holds. bpor/simulate/weak is the same machine for simulated programs.
 *
 * Rooms: clocks.c has room for clocks, causes.c keeps the search's happens-before, stores.c the stores of each place, graph.c
 * what the models forbid beyond what clocks tell, offers.c decides what an access may take, accesses.c performs.
 *
 * All of it lies in memory that rollback leaves alone, because to find and restore its pages would take longer than the rest of
 * an execution; bpor_weak_begin empties it. Clocks are as long as there are threads: a new thread gets zeros in all of them. */
#ifndef BPOR_WEAK_H
#define BPOR_WEAK_H
#include "memory/memory.h"
#include "race/race.h"

enum {
    WEAK_THREADS = 64,   /* from the next one on, every access takes the newest store */
    WEAK_STORES = 64,    /* of one place: beyond, the oldest is forgotten */
    WEAK_EVENTS = 512,   /* of one execution: beyond, every access takes the newest */
    WEAK_OLD_READS = 64, /* of one thread since it changed anything: likewise */
    MOST_STORES = 1 << 14
};

/* Steps of each thread, as the search orders them. */
struct causes {
    uint32_t at[WEAK_THREADS];
};

/* There are few threads: a call of memcpy would take longer. */
#define NO_CALL __asm__ volatile("")

static inline void weak_copy(uint32_t *into, const uint32_t *from)
{
    for (unsigned i = 0, threads = bpor->threads; i < threads; i++) {
        into[i] = from[i];
        NO_CALL;
    }
}

static inline void weak_clear(uint32_t *clock)
{
    for (unsigned i = 0, threads = bpor->threads; i < threads; i++) {
        clock[i] = 0;
        NO_CALL;
    }
}

static inline void weak_join(uint32_t *into, const uint32_t *from)
{
    for (unsigned i = 0, threads = bpor->threads; i < threads; i++)
        if (into[i] < from[i])
            into[i] = from[i];
}

struct store {
    value128 value;
    uint64_t rank;  /* in the order of stores of its place, which it names there */
    uint32_t older; /* index + 1 */
    uint32_t step;  /* of the schedule, + 1; 0: it was there before */
    uint32_t epoch; /* of its thread, for the race detector */
    uint32_t local; /* which step of its thread */
    uint16_t thread;
    bool is_first;        /* the value at first sight: before everything */
    bool attached;        /* it read the store right before it: nothing comes between */
    uint32_t *released;   /* what an acquiring load of it has seen */
    uint32_t *read_epoch; /* when each thread read it first; 0: never */
    uint32_t *causes;
};

struct weak_event {
    uint16_t thread;
    uint8_t order; /* __ATOMIC_* */
    bool stores;
    bool full;      /* TSO: a fence, a locked instruction, or an operation that has one inside */
    bool operation; /* no access */
    uint32_t epoch;
    uint32_t local;
    uint32_t place;  /* number of its location; 0: none */
    uint64_t rank;   /* of what it stored */
    uint64_t source; /* rank of what it read; 0: it read nothing */
    uint32_t *seen;
    uint32_t *before; /* of an access that may be seq_cst: the same when its thread came to it */
    uint32_t *causes; /* of operations */
};

/* ---- accesses.c ---- */
extern bool bpor_weak; /* what an access may take is known in this execution */
/* It is not, because without an access or a fence that is weaker than seq_cst nothing weaker is seen, and no execution had one so
 * far. The first that has one is run again. */
extern bool bpor_weak_sleeps;
void bpor_weak_reserve(void);
/* An execution begins. */
void bpor_weak_begin(void);
/* bpor_weak_sleeps: the thread comes to an access, or a fence. */
void bpor_weak_look_at(const struct location *location, const struct memory_access *access);
void bpor_weak_look_at_order(int order);
/* Do accesses take old stores, if the schedule asks for that? Then more than memory makes a state. */
bool bpor_weak_matters(void);
/* Does an access take an old store, because the schedule asks for that? Then it is performed. */
bool bpor_weak_takes_old(struct thread *thread, struct location *location, struct memory_access *access);
/* The newest store was read, or the access made one. `epoch`: bpor_weak_epoch of the thread before it. */
void bpor_weak_performed(struct thread *thread, struct location *location, const struct memory_access *access, bool wrote,
                         uint32_t epoch);
uint32_t bpor_weak_epoch(const struct thread *thread);
void bpor_weak_thread_created(const struct thread *thread, const struct thread *creator);
/* `epoch`: bpor_weak_epoch of the thread before it. */
void bpor_weak_fence(struct thread *thread, int order, uint32_t epoch);
/* After a step that is no atomic access. */
void bpor_weak_step(struct thread *thread);
/* The kernel has a full barrier on its way to a queue of waiters. It orders nothing for the race detector. */
void bpor_weak_barrier(const struct thread *thread);
/* Something reads on behalf of the thread, as the kernel does for a futex wait: the thread has read the newest store and reads
 * nothing older from here on.
 */
void bpor_weak_catch_up(const struct thread *thread, const volatile void *address, size_t bytes);

/* ---- offers.c ---- */
/* What weak memory knows of a thread. */
struct mind {
    struct causes flushed; /* TSO: the stores that its loads cannot pass */
    uint32_t old_reads;
    uint64_t old_read[WEAK_OLD_READS]; /* call site and store: not offered again until the thread changes something */
};
extern struct weak_minds {
    bool weaker;   /* an access or a fence weaker than seq_cst was there: without one nothing weaker is seen */
    bool given_up; /* there is no room for more */
    struct mind thread[WEAK_THREADS];
} * weak_minds;
void weak_offers_reserve(void);
void weak_offers_begin(void);
void weak_offers_new_thread(unsigned thread);
static inline struct mind *weak_mind(const struct thread *thread)
{
    return &weak_minds->thread[thread->id];
}
static inline bool weak_is_tso(void)
{
    return bpor->shared->config.memory == BPOR_MEMORY_TSO;
}
/* Is it only noted whether anything would be offered? */
static inline bool weak_only_watches(void)
{
    return bpor->shared->config.memory == BPOR_MEMORY_AUTO;
}
static inline void weak_note_order(int order)
{
    weak_minds->weaker |= order != __ATOMIC_SEQ_CST;
}
/* There is no room for more: from here on every access of this execution takes the newest store. */
void weak_give_up(void);
/* Would the access read and store nothing, if it took this store? */
bool weak_would_only_read(const struct memory_access *access, const struct store *store);
uint64_t weak_old_read(const struct thread *thread, const struct location *location, const struct store *store);
/* Are older stores of its place out of the thread's reach? */
bool weak_hides_older(const struct thread *thread, const struct store *store);
/* The stores that the access may take, the newest first, and how many. */
unsigned weak_offers(const struct thread *thread, struct location *location, const struct memory_access *access,
                     uint32_t offered[WEAK_STORES]);

/* ---- clocks.c ---- */
extern uint32_t weak_width; /* of every clock of a table */
void weak_clocks_begin(void);
uint32_t *weak_clocks_reserve(size_t count);
/* Is there no room for this thread in them? Then all tables are widened, and that is told. */
bool weak_clocks_are_narrow(unsigned thread);
void weak_clocks_widen(uint32_t *clocks, size_t count);
void weak_clocks_widened(void);

/* ---- causes.c ---- */
void weak_causes_reserve(void);
void weak_causes_begin(void);
void weak_causes_new_thread(unsigned thread);
void weak_causes_widen(void);
struct causes *weak_causes(const struct thread *thread);
/* A step begins: it follows what touched the same objects. */
void weak_causes_follow(struct thread *thread, const struct bpor_access *access, unsigned accesses);
void weak_causes_at(struct thread *thread, struct location *location, const struct bpor_access *access);
static inline bool weak_covers(const uint32_t *causes, const struct store *store)
{
    return store->is_first || causes[store->thread] >= store->local;
}

/* ---- stores.c ---- */
/* Its bytes were written or accessed otherwise: what is there now was there before everything. */
void bpor_weak_forget(uintptr_t address, size_t bytes);
void bpor_weak_forget_stores(struct location *location);
void weak_stores_reserve(void);
void weak_stores_begin(void);
void weak_stores_new_thread(unsigned thread);
void weak_stores_widen(void);
struct store *weak_store(uint32_t number);
/* The newest store of a place; the value that memory holds, if none is known. */
uint32_t weak_newest(struct location *location, const struct memory_access *access);
/* The rank of a store right after another one; 0: there is none left. `newer`: the one that came after it until now, or 0. */
uint64_t weak_rank_after(uint32_t number, uint32_t newer);
/* A store that was just performed, right after the one of that number; 0: there is no room for it. */
uint32_t weak_stored(struct thread *thread, struct location *location, uint32_t after, value128 value);

/* ---- graph.c ---- */
void weak_graph_reserve(void);
void weak_graph_begin(void);
void weak_graph_new_thread(unsigned thread);
void weak_graph_widen(void);
/* The thread comes to an access: what it has seen so far. */
void weak_event_comes(const struct thread *thread);
/* An event of the thread, as it is now, that is not part of the graph yet. */
struct weak_event *weak_event_of(const struct thread *thread, const struct location *location, int order);
/* Where there is no room for the event that was made last, weaker values are offered no more. */
void weak_graph_add(void);
bool weak_graph_is_full(void);
/* Is the event that was made last consistent with all other events? */
bool weak_graph_allows_c11(void);
/* Is there nothing that C11 forbids beyond what clocks tell, whatever the next event of this order is? */
bool weak_graph_has_no_say(int order);
bool weak_graph_allows_tso(void);
#endif
