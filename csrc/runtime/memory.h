/* Accesses of memory that are operations, and what the runtime keeps about the places they touch. */
#ifndef BPOR_MEMORY_H
#define BPOR_MEMORY_H
#include "instrument/atomic_forms.h"
#include "runtime/digest.h"
#include "runtime/runtime.h"

struct clock;

/* One atomic access, from its pending operation to its result. Lies on the stack of the thread that does it. */
struct memory_access {
    volatile void *address;
    uint32_t size;
    enum atomic_form form;
    int order;                /* of C11: __ATOMIC_RELAXED .. __ATOMIC_SEQ_CST */
    int failure_order;        /* of a compare-exchange that fails */
    bool performed_by_caller; /* a volatile access: the instrumented code does it itself, right after the callback */
    bool may_race;            /* an operation, and an access that nothing makes atomic */
    value128 operand;
    value128 expected;
    value128 old; /* what was there: the result of every form but store */
    bool failed;  /* compare-exchange */
};

/* How an access is told on the wire: bpor_event.flags >> 5. */
enum { ORDER_UNORDERED = 7 };

value128 bpor_atomic(struct memory_access *access, const void *site);
/* The same by their parts: any form but compare-exchange, which returns what was there; and that one, whose failure overwrites
 * the caller's expected value. */
value128 bpor_access(enum atomic_form form, const volatile void *address, uint32_t size, value128 operand, int order,
                     const void *site);
bool bpor_compare_exchange(volatile void *address, uint32_t size, void *expected, value128 desired, int order, int failure,
                           const void *site);
/* The access itself, by the processor. */
void bpor_memory_apply(struct memory_access *access);
void bpor_fence(int order, const void *site);
void bpor_memory_reserve(void);
/* An operation on bytes that the caller accesses itself, right after it: an atomic object of any size. Sequentially consistent.
 */
void bpor_object_access(enum operation_kind kind, uintptr_t address, uint32_t bytes, bool write, const void *site);
/* Was a race found here before, so that its accesses are operations now? */
bool bpor_visible_place(uintptr_t address, size_t bytes);
/* A plain access, about to be done by the program: checked, not scheduled. */
void bpor_plain_access(const volatile void *address, size_t bytes, bool write, const void *site);

/* locations.c: bytes that atomic accesses touched, by address. Gone when their block is freed. */
struct location {
    uintptr_t address;
    uint32_t size;
    uint32_t next;       /* in its hash chain, index + 1 */
    uint64_t id;         /* canonical */
    uint64_t write_time; /* virtual time of the last write and read */
    uint64_t read_time;
    uint16_t last_writer;   /* a thread */
    struct clock *released; /* what an acquire here brings */
    struct clock *reads;    /* when each thread last read and wrote it atomically */
    struct clock *writes;
    struct clock *read_stacks; /* described executions: where */
    struct clock *write_stacks;
};
void bpor_locations_reserve(void);
struct location *bpor_location(uintptr_t address, uint32_t size);
/* The next known location that overlaps a range; start with NULL. */
struct location *bpor_location_overlapping(struct location *previous, uintptr_t address, size_t bytes);
bool bpor_locations_within(uintptr_t start, size_t bytes);
void bpor_locations_digest(struct digest *set);
void bpor_locations_forget(uintptr_t start, size_t bytes);

/* spin.c: loops that wait without saying so. */
bool bpor_spin_repeats(struct thread *thread, uint64_t object, uint64_t value);
void bpor_spin_progress(struct thread *thread);
/* An atomic access changed a value. */
void bpor_spin_changed(struct thread *thread, uint64_t object, uint64_t before, uint64_t now);
/* What the thread has changed so far, as one number: the same again once it has taken everything back. */
uint64_t bpor_spin_state(struct thread *thread);
void bpor_spin_step(struct thread *thread);
void bpor_spin_plain_write(struct thread *thread, uintptr_t address, size_t bytes);
void bpor_spin_reserve(void);

/* plain_spin.c: those of plain accesses alone. */
void bpor_plain_spin(struct thread *thread, const volatile void *address, size_t bytes, const void *site);
void bpor_plain_spin_step(const struct thread *thread);
void bpor_plain_spin_reserve(void);

/* call_stack.c: the calls that instrumented functions told of. */
void bpor_call_entered(struct thread *thread, const void *caller, uintptr_t frame);
void bpor_call_left(struct thread *thread);
/* A hash of the calls a thread is in; 0 for code that is not instrumented. */
uint64_t bpor_call_hash(const struct thread *thread);
/* Return addresses, innermost first. */
unsigned bpor_call_frames(const struct thread *thread, uint64_t *frames, unsigned most);
void bpor_calls_reserve(void);
#endif
