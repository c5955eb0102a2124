/* Memory accesses that are operations, and what the runtime records about the places they touch. */
#ifndef BPOR_MEMORY_H
#define BPOR_MEMORY_H
#include "instrument/atomic_forms.h"
#include "runtime/runtime.h"
#include "state/digest.h"

struct clock;

/* One atomic access, from its pending operation to its result. Lies on the stack of the thread that does it. */
struct memory_access {
    volatile void *address;
    uint32_t size;
    enum atomic_form form;
    int order;                /* of C11: __ATOMIC_RELAXED .. __ATOMIC_SEQ_CST */
    int failure_order;        /* of a compare-exchange that fails */
    bool performed_by_caller; /* a volatile access: the instrumented code does it itself, right after the callback */
    bool foreseen;            /* and what it will write is known: a locked instruction */
    bool may_race;            /* an operation, and an access that nothing makes atomic */
    value128 operand;
    value128 expected;
    const void *expected_at; /* where the caller has it */
    value128 old;            /* what was there: the result of every form but store */
    bool failed;             /* compare-exchange */
};

/* The bits of a value of so many bytes. */
static inline value128 value_mask(uint32_t size)
{
    return size == sizeof(value128) ? ~(value128)0 : ((value128)1 << 8 * size) - 1;
}

/* How an access is told on the wire: bpor_event.flags >> 5. */
enum { ORDER_UNORDERED = 7 };

value128 bpor_atomic(struct memory_access *access, const void *site);
/* The same by their parts: any form but compare-exchange, which returns what was there; and that one, whose failure overwrites
 * the caller's expected value. */
value128 bpor_access(enum atomic_form form, const volatile void *address, uint32_t size, value128 operand, int order,
                     const void *site);
bool bpor_compare_exchange(volatile void *address, uint32_t size, void *expected, value128 desired, int order, int failure,
                           const void *site);
/* One that fails though it need not: it tells what is there. */
bool bpor_compare_in_vain(volatile void *address, uint32_t size, void *expected, int failure, const void *site);
/* The access itself, by the processor. */
void bpor_memory_apply(struct memory_access *access);
/* What is there. */
value128 bpor_memory_look(const volatile void *address, uint32_t size);
/* What it will find, if the caller does it itself. */
void bpor_memory_foresee(struct memory_access *access);
/* What it left there, if it wrote. */
value128 bpor_memory_stored(const struct memory_access *access);
void bpor_fence(int order, const void *site);
void bpor_memory_reserve(void);
/* An operation on bytes that the caller accesses itself, right after it: an atomic object of any size. Sequentially consistent.
 */
void bpor_object_access(enum operation_kind kind, uintptr_t address, uint32_t bytes, bool write, const void *site);
/* Was a race found here before, so that its accesses are operations now? */
bool bpor_visible_place(uintptr_t address, size_t bytes);
/* Instructions whose plain accesses are operations, wherever they go, are places of no bytes, and come first. May this be one, by
 * where it lies in its page? */
static inline bool bpor_site_may_be_visible(uintptr_t site)
{
    enum { IN_PAGE = 0xfff };
    const struct bpor_config *config = &bpor->shared->config;
    for (unsigned i = 0; i < config->visible_count && config->visible[i].size == 0; i++)
        if (((config->visible[i].object ^ site) & IN_PAGE) == 0)
            return true;
    return false;
}
/* A plain access, about to be done by the program: checked, not scheduled. True: it was an operation. */
bool bpor_plain_access(const volatile void *address, size_t bytes, bool write, const void *site);
/* The same for 2^shift bytes; accesses that are like recent ones (recent.h) need not come here. */
void bpor_sized_access(const volatile void *address, unsigned shift, bool write, const void *site);
/* Some that are done together, by one call or instruction. If they are operations they are one: between two, another thread could
 * change what the first was told to have read. */
enum { PLAIN_PARTS = 32 };
struct plain_part {
    const volatile void *address;
    size_t bytes;
    bool write;
};
void bpor_plain_parts(const struct plain_part *parts, unsigned count, const void *site);
void bpor_plain_accesses(struct plain_part first, struct plain_part second, const void *site);

/* locations.c: bytes that atomic accesses touched, by address. Gone when their block is freed. */
struct location {
    uintptr_t address;
    uint32_t size;
    uint32_t next;       /* in its hash chain, index + 1 */
    uint64_t id;         /* canonical */
    uint64_t write_time; /* virtual time of the last write and read */
    uint64_t read_time;
    uint16_t last_writer;   /* a thread */
    uint32_t number;        /* of all locations that ever were, from 1 */
    uint32_t stores;        /* weak memory: the newest that is known, index + 1 */
    uint32_t store_count;   /* and how many are */
    uint32_t touched;       /* likewise: who has touched it, index + 1 */
    bool mixed;             /* its bytes were accessed by another size too */
    struct clock *released; /* what an acquire here brings */
    struct clock *reads;    /* when each thread last read and wrote it atomically */
    struct clock *writes;
    struct clock *read_stacks; /* described executions: where */
    struct clock *write_stacks;
};
void bpor_locations_reserve(void);
struct location *bpor_location(uintptr_t address, uint32_t size);
/* If there is one. */
const struct location *bpor_location_known(uintptr_t address, uint32_t size);
/* The next known location that overlaps a range; start with NULL. */
struct location *bpor_location_overlapping(struct location *previous, uintptr_t address, size_t bytes);
bool bpor_locations_within(uintptr_t start, size_t bytes);
void bpor_locations_digest(struct digest *set);
void bpor_locations_forget(uintptr_t start, size_t bytes);

/* spin.c: loops that wait without saying so. */
enum { LOOKS_BEFORE_YIELD = 3 };
/* How many times in a row the thread has looked at a place by now, with the same answer and nothing changed by it in between. */
uint32_t bpor_spin_looks(struct thread *thread, uint64_t object, uint64_t value);
void bpor_spin_progress(struct thread *thread);
/* An atomic access changed a value. */
void bpor_spin_changed(struct thread *thread, uint64_t object, uint64_t before, uint64_t now);
/* It stores something there, which nobody knows yet, before its next step; and it has. */
void bpor_spin_stores(struct thread *thread, uintptr_t address, size_t bytes);
void bpor_spin_settle(struct thread *thread);
/* What the thread has changed so far: the same again once it has taken everything back. */
struct changed {
    uint64_t progress; /* changes that cannot be taken back */
    uint64_t balance;  /* of those that can: what it holds, and values as they are now less values as they were */
};
struct changed bpor_spin_changes(struct thread *thread);
/* The same, as far as it was looked for: nothing is noted by asking. */
struct changed bpor_spin_noted(const struct thread *thread);
/* What decides which of its looks will be a yield. */
void bpor_spin_digest(const struct thread *thread, struct digest *set);
void bpor_spin_step(struct thread *thread);
/* Is it of interest whether it writes? */
bool bpor_spin_minds_writes(const struct thread *thread);
void bpor_spin_plain_write(struct thread *thread, uintptr_t address, size_t bytes);
/* A write between two reads that are operations tells a loop that gets on from one that waits. */
static inline bool bpor_write_matters(const struct thread *thread)
{
    return bpor->shared->config.visible_count || bpor_spin_minds_writes(thread);
}
void bpor_spin_reserve(void);

/* plain_spin.c: those of plain accesses alone. */
struct rounds {
    uint32_t accesses; /* since the last scheduling point, or since it was found to do something */
    uint32_t look_at;  /* so many */
    uint32_t granted;  /* that code counts by itself; what is left of them is in bpor_plain_left */
    uint32_t pauses;   /* by machine code since it last did something else, as far as that was told */
    uint32_t equal;    /* rounds in a row */
    uint32_t since;    /* accesses since one began */
    uint64_t mark;     /* where a round begins; 0: not looked at */
    uint64_t round;    /* hash of this round so far */
    uint64_t last;     /* of the one before */
};
extern struct rounds *bpor_rounds;
extern __thread int32_t bpor_plain_left;
/* How many accesses of marked bytes (machine/filter.h) and recent ones (recent.h) may go by before somebody looks again. */
static inline void bpor_plain_spin_grant(const struct thread *thread)
{
    struct rounds *mine = &bpor_rounds[thread->id];
    mine->granted = mine->accesses + 1 < mine->look_at ? mine->look_at - mine->accesses : 1;
    bpor_plain_left = (int32_t)mine->granted;
}
/* Those that went by are counted. */
static inline void bpor_plain_spin_settle(const struct thread *thread)
{
    struct rounds *mine = &bpor_rounds[thread->id];
    if (mine->granted > 1)
        mine->accesses += mine->granted - (uint32_t)(bpor_plain_left > 0 ? bpor_plain_left : 0);
    mine->granted = 0;
}
/* Likewise, and none may go by: what is left is thread-local memory, which is part of a state. */
static inline void bpor_plain_spin_rest(const struct thread *thread)
{
    bpor_plain_spin_settle(thread);
    bpor_plain_left = 0;
}
/* The next access is one to count and no more; else it is to be told. */
static inline bool bpor_plain_spin_is_quiet(const struct thread *thread)
{
    const struct rounds *mine = &bpor_rounds[thread->id];
    bpor_plain_spin_settle(thread);
    return mine->accesses + 1 < mine->look_at;
}
static inline void bpor_plain_spin_count(const struct thread *thread)
{
    bpor_rounds[thread->id].accesses++;
    bpor_rounds[thread->id].pauses = 0;
}
void bpor_plain_spin(struct thread *thread, const volatile void *address, size_t bytes, const void *site, bool counted);
void bpor_plain_spin_step(const struct thread *thread);
void bpor_plain_spin_reserve(void);

/* call_stack.c: the calls that instrumented functions told of. */
void bpor_call_entered(struct thread *thread, const void *caller, uintptr_t frame);
void bpor_call_left(struct thread *thread);
/* In how many instrumented functions it is. */
unsigned bpor_call_depth(const struct thread *thread);
/* A hash of the calls a thread is in; 0 for code that tells none. Machine code does not: what its stack holds next to its top is
 * taken for them. */
uint64_t bpor_call_hash(const struct thread *thread);
/* A hash of its general registers; 0 for code that does not tell them. */
uint64_t bpor_call_registers(const struct thread *thread);
/* Return addresses, innermost first. */
unsigned bpor_call_frames(const struct thread *thread, uint64_t *frames, unsigned most);
void bpor_calls_reserve(void);
#endif
