/* The race detector: FastTrack (Flanagan and Freund, PLDI 2009) over vector clocks that know synchronises-with and nothing else.
 *
 * Rooms: order.c keeps what each thread has seen, shadow.c who accessed each byte last (in the cells of cells.c),
 * excused.c what the program does not want to hear of, report.c tells a race with both stacks. Exact per byte: no
 * history is dropped, so a race between two accesses of an execution is always found. */
#ifndef BPOR_RACE_H
#define BPOR_RACE_H
#include "memory/memory.h"
#include "race/clocks.h"

/* A point in a thread's life: its number and its own clock there. 0: never. */
typedef uint32_t epoch;
struct allocation;
enum { CLOCK_BITS = 22, MOST_CLOCK = (1 << CLOCK_BITS) - 1, TAG_LIST = 1023, TAG_FREED = 1022 };

static inline epoch epoch_of(unsigned tag, uint32_t clock)
{
    return (epoch)tag << CLOCK_BITS | clock;
}

static inline unsigned epoch_tag(epoch point)
{
    return point >> CLOCK_BITS;
}

static inline uint32_t epoch_clock(epoch point)
{
    return point & MOST_CLOCK;
}

/* How plain accesses are looked at now: not at all; for those of freed memory, when there is some; for races too, when there is
 * more than one thread. Never if --races is off. */
enum race_checks { CHECK_NOTHING, CHECK_FREED, CHECK_RACES };
extern enum race_checks bpor_checks;
void bpor_look_for(enum race_checks checks);

void bpor_races_reserve(void);
bool bpor_races_wanted(void);

/* order.c */
static inline bool order_acquires(int memory_order)
{
    return memory_order != __ATOMIC_RELAXED && memory_order != __ATOMIC_RELEASE;
}

static inline bool order_releases(int memory_order)
{
    return memory_order == __ATOMIC_RELEASE || memory_order == __ATOMIC_ACQ_REL || memory_order == __ATOMIC_SEQ_CST;
}

void bpor_race_thread_created(struct thread *thread, const struct thread *creator);
void bpor_race_step(struct thread *thread);
void bpor_race_atomic(struct thread *thread, struct location *location, bool reads, bool writes, int order);
/* An atomic load that saw an old store, which had released this. */
void bpor_race_old_read(struct thread *thread, struct location *location, const uint32_t *released, unsigned threads,
                        int memory_order);
/* An atomic store, or a read-modify-write, that comes before newer stores; `released` is what the store that it read had
 * released, and becomes what this one has. */
void bpor_race_old_write(struct thread *thread, struct location *location, uint32_t *released, unsigned threads, bool reads,
                         int memory_order);
void bpor_race_fence(struct thread *thread, int order);
/* At any object. With `write` false as by a reader of a lock: ordered after writers, and before them, but not among readers. */
void bpor_race_acquire(struct thread *thread, uint64_t object, bool write);
void bpor_race_release(struct thread *thread, uint64_t object, bool write);
const struct clock *bpor_race_seen(const struct thread *thread);
/* What it will have seen before it does anything. Until the next call. */
const struct clock *bpor_race_will_see(const struct thread *thread);
epoch bpor_race_epoch(const struct thread *thread);
void bpor_race_new_epoch(const struct thread *thread);

/* sharing.c: may an access that is remembered decide a race to come? */
enum sharing_kind { SHARED_PLAIN, SHARED_ATOMICS };
void bpor_sharing_reserve(void);
/* Executions are to be children of this process. False: there is no room. */
bool bpor_sharing_outlives_forks(void);
void bpor_sharing_atomic(const struct thread *thread, uintptr_t address, size_t bytes, bool write);
void bpor_sharing_plain(const struct thread *thread, uintptr_t address, size_t bytes, bool write);
bool bpor_sharing_counts(uintptr_t address, enum sharing_kind kind);
/* Another number whenever an answer of it may have changed. */
uint64_t bpor_sharing_version(void);

/* cells.c */
/* A new execution: nothing was accessed. */
void bpor_shadow_begin(void);
/* What is on record, as bytes, and back, where nothing is (bpor_shadow_begin). Saves so many bytes; 0: that is not possible, or
 * there is no room. */
size_t bpor_cells_save(uint8_t *to, size_t room);
void bpor_cells_load(const uint8_t *from);
/* Nobody has accessed this memory. */
void bpor_shadow_clear(uintptr_t start, size_t bytes);

/* shadow.c */
void bpor_shadow_reserve(void);
/* True: the same again, in the same epoch, would change nothing. */
bool bpor_race_plain(struct thread *thread, uintptr_t address, size_t bytes, bool write, const void *site);
/* Of a program with one thread: is the memory free? */
void bpor_shadow_alone(uintptr_t address, size_t bytes, bool write);
/* Could the address lie in the stack of a thread that has ended? */
bool bpor_shadow_stack_may_be_gone(uintptr_t address);
/* The thread ends: its stack is nobody's. */
void bpor_race_thread_ended(struct thread *thread);
/* An atomic access against the plain ones. */
void bpor_shadow_atomic(struct thread *thread, uintptr_t address, size_t bytes, bool write);
/* A block is new: to have allocated it is to have written it. */
void bpor_shadow_allocated(struct thread *thread, struct allocation *block);
/* A block is freed: every later access is an error, told with the record of that number. */
void bpor_shadow_freed(struct thread *thread, uintptr_t start, size_t bytes, uint32_t record, const void *site);

/* It is unmapped: a write of whatever was accessed in it. */
void bpor_shadow_unmapped(struct thread *thread, uintptr_t start, size_t bytes, uint32_t stack);

/* excused.c */
/* The thread enters (1) or leaves (-1) a region in which its reads or writes are not looked at. */
void bpor_race_ignore(const struct thread *thread, bool reads, bool writes, int by);
bool bpor_race_ignored(const struct thread *thread, bool write);
void bpor_race_benign(uintptr_t start, size_t bytes);
bool bpor_race_any_benign(void);
bool bpor_race_is_benign(uintptr_t byte);
void bpor_race_benign_forget(uintptr_t start, size_t bytes);

void bpor_race_streams_reserve(void);
/* std::cout and the like, as they are loaded now. */
void bpor_race_find_standard_streams(void);
/* Is it a member that every use of such a stream writes? */
bool bpor_race_in_standard_stream(uintptr_t address);
/* Is it one? Then the access is looked at here, and told as a race if something changes. */
bool bpor_race_excuse_stream(const struct thread *thread, uintptr_t address, bool write, const void *site);

/* report.c */
/* An access of the stack of a thread that has ended. */
void bpor_stack_is_gone(const struct thread *owner, uintptr_t address, size_t bytes, bool write);
uint32_t bpor_stack_remember(const struct thread *thread, const void *site);
struct race {
    uintptr_t address;
    size_t bytes;
    bool write;
    bool atomic;
    bool freeing;
    bool unmapping;
    bool ending;    /* of the thread whose stack it was */
    bool looking;   /* at a reference count, and not counting */
    unsigned other; /* thread */
    bool other_wrote;
    bool other_atomic;
    uint32_t other_stack; /* as bpor_stack_remember gave it; 0: not kept */
    const void *site;     /* of a plain access; NULL: it is none */
};
void bpor_race_report(const struct race *race);
void bpor_stacks_reserve(void);
/* Puts a remembered stack beside the one that ends the execution. */
void bpor_end_other_stack(unsigned thread, uint32_t stack);

/* quarantine.c: freed blocks, kept for a while */
void bpor_quarantine_reserve(void);
void bpor_use_after_free(uintptr_t address, size_t bytes, bool write, uint32_t record);
/* Returns false if the block is not ours to keep: free it. */
bool bpor_quarantine(void *block, const void *site);
/* Before a thread frees something: gives back to libc what nobody can use any more, if states are to come back. */
void bpor_quarantine_drain(void);
/* The size of a block that it would keep, or 0. */
size_t bpor_quarantine_wants(void *block);
/* Before the memory goes, by a free or by an unmapping. */
void bpor_free_step(enum operation_kind kind, const struct allocation *block, const void *site);
const struct allocation *bpor_quarantine_find(uintptr_t address); /* the block that held it last, if that is known; or NULL */
/* Does the address lie in a block that was freed, and in none that is somebody's now? By whom, and its stack. */
/* Does an access touch a large block that is kept? Its record is that of bpor_use_after_free. */
bool bpor_quarantine_large(uintptr_t address, size_t bytes, uint32_t *record);
bool bpor_quarantine_holds(uintptr_t address, unsigned *by, uint32_t *stack);
#endif
