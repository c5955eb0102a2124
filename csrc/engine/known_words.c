/* A step as words, and back: threads are told by names, or by what the step itself says of them, so that another run whose
 * threads have other numbers can read it. */
#include "engine/known.h"

enum { MOVER = 0, NOT_FOUND = 0xff };

static void put(struct words *words, uint64_t word)
{
    words->at[words->count++] = word;
}

static void put_accesses(struct words *words, const struct bpor_access *access, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put(words, access[i].object);
        put(words, (uint64_t)access[i].size << 1 | (access[i].write != 0));
    }
}

/* 0: the mover; k: the k-th thread that the step creates; NOT_FOUND: neither. */
static unsigned relative(const struct tree *tree, const struct told_step *told, unsigned thread)
{
    unsigned existing = (unsigned)__builtin_popcountll(tree->existing);
    if (thread == told->thread)
        return MOVER;
    return thread >= existing ? thread - existing + 1 : NOT_FOUND;
}

static unsigned absolute(const struct tree *tree, const struct told_step *told, unsigned relative)
{
    return relative == MOVER ? told->thread : (unsigned)__builtin_popcountll(tree->existing) + relative - 1;
}

/* The thread that an operation joins is there already and has a name, or this very step creates it. 0: neither. */
static uint64_t name_of_target(const struct tree *tree, const struct told_step *told, unsigned target)
{
    if (target < THREADS && tree->actor[target].exists)
        return tree->actor[target].name;
    unsigned who = relative(tree, told, target);
    return who <= THREADS ? UINT64_MAX - who : 0;
}

static unsigned target_named(const struct tree *tree, const struct told_step *told, uint64_t name)
{
    if (UINT64_MAX - name <= THREADS)
        return absolute(tree, told, (unsigned)(UINT64_MAX - name));
    EACH_THREAD (thread, tree->existing)
        if (tree->actor[thread].name == name)
            return thread;
    return NOT_FOUND;
}

static bool put_operation(struct words *words, const struct tree *tree, const struct told_step *told,
                          const struct told_operation *operation)
{
    unsigned who = relative(tree, told, operation->thread);
    bool names_target = operation->kind == OP_JOIN;
    uint64_t target = names_target ? name_of_target(tree, told, operation->target) : BPOR_NO_THREAD; /* nobody asks for others */
    put(words, (uint64_t)who | (uint64_t)operation->kind << 8 | (uint64_t)operation->order << 16 |
                   (uint64_t)operation->timed << 23 | (uint64_t)operation->accesses << 24);
    put(words, target);
    put(words, operation->site);
    put(words, operation->stack);
    put_accesses(words, operation->access, operation->accesses);
    return who != NOT_FOUND && !(names_target && target == 0);
}

/* False: it cannot be told in names. */
bool known_put_step(struct words *words, const struct tree *tree, const struct told_step *told)
{
    uint64_t finished = 0;
    bool fit = true;
    EACH_THREAD (thread, told->finished) {
        unsigned who = relative(tree, told, thread);
        fit &= who < 64;
        finished |= bit(who % 64);
    }
    put(words, (uint64_t)told->flags | (uint64_t)told->announced << 8 | (uint64_t)told->accesses << 16);
    put(words, finished);
    put_accesses(words, told->access, told->accesses);
    for (unsigned i = 0; i < told->announced; i++)
        fit &= put_operation(words, tree, told, &told->operation[i]);
    return fit;
}

uint32_t known_words_of(const struct told_step *told)
{
    uint32_t count = 2 + 2 * told->accesses;
    for (unsigned i = 0; i < told->announced; i++)
        count += 4 + 2 * told->operation[i].accesses;
    return count;
}

/* ---- back ---- */

struct reading {
    const uint64_t *at;
    struct bpor_access *pool;
};

static const struct bpor_access *take_accesses(struct reading *reading, unsigned count)
{
    const struct bpor_access *first = reading->pool;
    for (unsigned i = 0; i < count; i++, reading->at += 2)
        *reading->pool++ = (struct bpor_access){reading->at[0], (uint32_t)(reading->at[1] >> 1), reading->at[1] & 1};
    return first;
}

static bool take_operation(struct reading *reading, const struct tree *tree, const struct told_step *told,
                           struct told_operation *operation)
{
    const uint64_t *at = reading->at;
    unsigned thread = absolute(tree, told, at[0] & 0xff), kind = at[0] >> 8 & 0xff;
    uint64_t target = kind == OP_JOIN ? target_named(tree, told, at[1]) : at[1];
    *operation = (struct told_operation){
        .thread = (uint8_t)thread,
        .kind = (uint8_t)kind,
        .order = at[0] >> 16 & 0x7f,
        .timed = at[0] >> 23 & 1,
        .target = (uint16_t)target,
        .site = at[2],
        .stack = at[3],
        .accesses = (unsigned)(at[0] >> 24),
    };
    reading->at += 4;
    operation->access = take_accesses(reading, operation->accesses);
    return thread < THREADS && !(kind == OP_JOIN && target == NOT_FOUND);
}

/* The step of an entry, as the thread would do it here, in known->told. False: it cannot be said here. */
bool known_take_step(struct known *known, const struct known_step *entry, const struct tree *tree, unsigned thread)
{
    struct reading reading = {&known->word[entry->first], known->pool};
    struct told_step *told = &known->told;
    uint64_t head = *reading.at++, finished = *reading.at++;
    bool fit = true;
    told->thread = (uint8_t)thread;
    told->flags = (uint8_t)head;
    told->enabled = tree->frame[tree->frames - 1].enabled;
    told->timed = 0;
    told->announced = head >> 8 & 0xff;
    told->accesses = (unsigned)(head >> 16);
    told->access = take_accesses(&reading, told->accesses);
    told->finished = 0;
    EACH_THREAD (who, finished) {
        unsigned number = absolute(tree, told, who);
        fit &= number < THREADS;
        told->finished |= bit(number % THREADS);
    }
    for (unsigned i = 0; i < told->announced; i++)
        fit &= take_operation(&reading, tree, told, &told->operation[i]);
    told->hash = step_hash(tree->depth ? tree->step[tree->depth - 1].step_hash : BPOR_FIRST_HASH, told,
                           history_operation(tree, thread)->kind);
    return fit;
}
