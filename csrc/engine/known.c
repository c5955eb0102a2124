/* The table of known steps, and the walk along them.
 *
 * A step's key is the hash of its event as its pending operation announces it: the causal past of its thread, and what it will
 * find at its objects. Whether a pending operation is enabled is looked up too, by the same past; for a mutex it is enough to
 * know who holds it, which the history counts. So nothing here knows what an operation does. */
#include "engine/known.h"
#include "engine/plan.h"
#include <string.h>

enum { LIMIT = KNOWN_SLOTS / 4 * 3, MOVER = 0, NOT_FOUND = 0xff, LONGEST = KNOWN_LONGEST };

/* ---- tables ---- */

static uint32_t slot_of(uint64_t key, uint32_t tried)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u >> 44) + tried) % KNOWN_SLOTS;
}

/* The entry, or the free one where it belongs. */
static struct known_step *find_step(struct known *known, uint64_t key)
{
    uint32_t tried = 0;
    while (known->step[slot_of(key, tried)].key != key && known->step[slot_of(key, tried)].key && tried < KNOWN_SLOTS)
        tried++;
    return &known->step[slot_of(key, tried)];
}

static uint64_t *find_key(uint64_t *table, uint64_t key)
{
    uint32_t tried = 0;
    while (table[slot_of(key, tried)] != key && table[slot_of(key, tried)] && tried < KNOWN_SLOTS)
        tried++;
    return &table[slot_of(key, tried)];
}

static uint64_t check_of(const struct known *known, uint64_t key, uint32_t first, uint32_t count)
{
    uint64_t check = bpor_mix(key, first);
    for (uint32_t i = 0; i < count; i++)
        check = bpor_mix(check, known->word[first + i]);
    return check;
}

static bool proves_itself(const struct known *known, const struct known_step *entry)
{
    return entry->count < LONGEST && entry->first < KNOWN_WORDS - LONGEST &&
           entry->check == check_of(known, entry->key, entry->first, entry->count);
}

static void empty(struct known *known)
{
    if (known->steps + known->answers + known->traces == 0)
        return;
    known->steps = known->answers = known->traces = known->words = 0;
    memset(known->step, 0, sizeof known->step);
    memset(known->answer, 0, sizeof known->answer);
    memset(known->trace, 0, sizeof known->trace);
}

void known_forget(struct known *known)
{
    known->contradicts = false;
    known->walked = known->refused = known->site = known->where = 0;
    empty(known);
}

static void make_room(struct known *known)
{
    if (known->steps >= LIMIT || known->answers >= LIMIT || known->traces >= LIMIT || known->words >= KNOWN_WORDS - LONGEST)
        empty(known);
}

static void contradict(struct known *known, const struct tree *tree, uint64_t site)
{
    if (known->contradicts)
        return;
    known->contradicts = true;
    known->where = tree->depth;
    known->site = site;
}

/* ---- what is told of a step, as words ---- */

struct words {
    uint64_t *at;
    uint32_t count;
};

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
    EACH_THREAD(thread, tree->existing)
    if (tree->actor[thread].name == name)
        return thread;
    return NOT_FOUND;
}

static bool put_operation(struct words *words, const struct tree *tree, const struct told_step *told,
                          const struct told_operation *operation)
{
    unsigned who = relative(tree, told, operation->thread);
    bool names_target = operation->kind == OP_JOIN;
    uint64_t target = names_target ? name_of_target(tree, told, operation->target) : operation->target;
    put(words, (uint64_t)who | (uint64_t)operation->kind << 8 | (uint64_t)operation->order << 16 |
                   (uint64_t)operation->timed << 23 | (uint64_t)operation->accesses << 24);
    put(words, target);
    put(words, operation->site);
    put_accesses(words, operation->access, operation->accesses);
    return who != NOT_FOUND && !(names_target && target == 0);
}

/* False: it cannot be told in names. */
static bool put_step(struct words *words, const struct tree *tree, const struct told_step *told)
{
    uint64_t finished = 0;
    bool fit = true;
    EACH_THREAD(thread, told->finished)
    {
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

static uint32_t words_of(const struct told_step *told)
{
    uint32_t count = 2 + 2 * told->accesses;
    for (unsigned i = 0; i < told->announced; i++)
        count += 3 + 2 * told->operation[i].accesses;
    return count;
}

/* ---- learning ---- */

static bool may_be_known(const struct tree *tree, const struct told_step *told)
{
    const struct frame *frame = &tree->frame[tree->frames - 1];
    return !frame->timed && !(told->flags & BPOR_FLAG_TIMEOUT) && words_of(told) < LONGEST;
}

/* A step that ends the process, though its operation does not say so, has everything in its past: a crash in what follows it. */
static uint64_t ending_key(const struct tree *tree, uint64_t key)
{
    key = bpor_mix(key, tree_trace_hash(tree) | 1);
    return key ? key : 1;
}

void known_learn_step(struct known *known, const struct tree *tree, const struct told_step *told)
{
    unsigned kind = history_operation(tree, told->thread)->kind;
    if (!may_be_known(tree, told))
        return;
    make_room(known);
    bool announced = !told->ends_process || bpor_properties(kind) & ENDS;
    uint64_t key = history_key(tree, told->thread);
    if (!announced)
        key = ending_key(tree, key);
    struct known_step *entry = find_step(known, key);
    struct words words = {&known->word[known->words], 0};
    if (!put_step(&words, tree, told))
        return;
    if (entry->key == key && proves_itself(known, entry)) {
        if (entry->count != words.count || memcmp(&known->word[entry->first], words.at, words.count * sizeof *words.at) != 0)
            contradict(known, tree, history_operation(tree, told->thread)->site);
        return;
    }
    known->steps += entry->key == 0;
    *entry =
        (struct known_step){key, check_of(known, key, (uint32_t)known->words, words.count), (uint32_t)known->words, words.count};
    known->words += words.count;
}

/* The state of a thread's pending operation, as far as it decides whether it is enabled, with the answer. */
static uint64_t answer_to(uint64_t question, bool enabled)
{
    uint64_t key = bpor_mix(question, enabled);
    return key ? key : 1;
}

static uint64_t answer_key(const struct tree *tree, unsigned thread, bool enabled)
{
    return answer_to(history_question(tree, thread), enabled);
}

static bool has_key(uint64_t *table, uint64_t key)
{
    return *find_key(table, key) == key;
}

/* True if it is new. */
static bool add_key(uint64_t *table, uint64_t key)
{
    uint64_t *entry = find_key(table, key);
    bool new = *entry == 0;
    *entry = key;
    return new;
}

bool known_may_be_enabled(struct known *known, uint64_t question)
{
    return !has_key(known->answer, answer_to(question, false));
}

void known_learn_state(struct known *known, const struct tree *tree, uint64_t ready)
{
    EACH_THREAD(thread, tree->live)
    {
        bool enabled = ready & bit(thread);
        if (has_key(known->answer, answer_key(tree, thread, !enabled)))
            contradict(known, tree, 0);
        known->answers += add_key(known->answer, answer_key(tree, thread, enabled));
    }
}

static uint64_t trace_key(const struct tree *tree)
{
    uint64_t key = tree_trace_hash(tree);
    return key ? key : 1;
}

void known_learn_end(struct known *known, struct tree *tree, enum bpor_outcome how)
{
    bool whole = how == BPOR_OUTCOME_EXIT, repeats = how == BPOR_OUTCOME_REDUNDANT || how == BPOR_OUTCOME_OVER_BOUND;
    if (whole)
        known->traces += add_key(known->trace, trace_key(tree));
    if (!tree->leads || repeats)
        return;
    uint32_t cost = tree->frame[tree->frames - 1].cost;
    tree->outside = whole && cost > tree->leads_within && !least_within(known, tree, tree->leads_within);
    tree->led |= !whole || tree->outside;
}

/* ---- the walk ---- */

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
        .accesses = (unsigned)(at[0] >> 24),
    };
    reading->at += 3;
    operation->access = take_accesses(reading, operation->accesses);
    return thread < THREADS && !(kind == OP_JOIN && target == NOT_FOUND);
}

/* The step of an entry, as the thread would do it here. False: it cannot be said here. */
static bool take_step(const struct known *known, const struct known_step *entry, uint64_t key, const struct tree *tree,
                      unsigned thread, struct told_step *told, struct bpor_access *pool)
{
    struct reading reading = {&known->word[entry->first], pool};
    uint64_t head = *reading.at++, finished = *reading.at++;
    unsigned kind = history_operation(tree, thread)->kind;
    bool fit = true;
    told->thread = (uint8_t)thread;
    told->flags = (uint8_t)head;
    told->ends_process = bpor_properties(kind) & ENDS || entry->key != key;
    told->enabled = tree->frame[tree->frames - 1].enabled;
    told->timed = 0;
    told->announced = head >> 8 & 0xff;
    told->accesses = (unsigned)(head >> 16);
    told->access = take_accesses(&reading, told->accesses);
    told->finished = 0;
    EACH_THREAD(who, finished)
    {
        unsigned number = absolute(tree, told, who);
        fit &= number < THREADS;
        told->finished |= bit(number % THREADS);
    }
    for (unsigned i = 0; i < told->announced; i++)
        fit &= take_operation(&reading, tree, told, &told->operation[i]);
    told->hash = step_hash(tree->depth ? tree->step[tree->depth - 1].step_hash : BPOR_FIRST_HASH, told, kind);
    return fit;
}

/* Whether each pending operation is enabled. False: of one it is not known. */
static bool look_up_ready(struct known *known, const struct tree *tree, uint64_t *ready)
{
    *ready = 0;
    EACH_THREAD(thread, tree->live)
    {
        if (has_key(known->answer, answer_key(tree, thread, true)))
            *ready |= bit(thread);
        else if (!has_key(known->answer, answer_key(tree, thread, false)))
            return false;
    }
    return true;
}

/* The state that a known step has led to. False: only an execution can tell. Waits that may time out do so where nobody can run,
 * or where the fair bound lets nobody run: the table does not know them. Nor does it know whether keeping a thread waiting loses
 * schedules: that the runtime finds out. */
static bool state_is_known(struct known *known, const struct tree *tree, bool ends, uint64_t *ready)
{
    *ready = 0;
    if (ends)
        return has_key(known->trace, trace_key(tree));
    if (!look_up_ready(known, tree, ready))
        return false;
    if (*ready == 0)
        return has_key(known->trace, trace_key(tree));
    return tree->order.fair_bound == BPOR_UNBOUNDED || (!tree->waits_timed && !rule_blocks_somebody(tree, *ready));
}

static void end_run(struct known *known, struct tree *tree, struct bpor_tree_facts *facts, enum bpor_outcome how)
{
    if (how == BPOR_OUTCOME_EXIT)
        bpor_plan_walked(facts, tree_trace_hash(tree));
    tree_end(tree, facts, how);
    known->walked++;
}

/* The choice at the top of the stack is to be executed. Would a search that leads leave the bound with it? */
static void look_outside(struct known *known, struct tree *tree)
{
    const struct frame *frame = &tree->frame[tree->frames - 1];
    const struct announced *operation = history_operation(tree, frame->chosen);
    if (!tree->leads)
        return;
    tree->led |= tree->waits_timed != 0; /* the table is of little use then: leading would cost executions */
    if (tree->led || rule_cost(tree, frame, frame->chosen) <= tree->leads_within)
        return;
    struct told_step step = {.thread = frame->chosen, .access = known->pool, .accesses = operation->count};
    for (uint32_t i = 0; i < operation->count; i++) {
        uint32_t touch = tree->touch[operation->first + i];
        const struct cell *cell = &tree->cell[touched_cell(touch)];
        known->pool[i] = (struct bpor_access){cell->object, cell->size, writes(touch)};
    }
    history_push(tree, &step);
    if (!tree->full) {
        tree->led = !least_within(known, tree, tree->leads_within);
        history_pop(tree);
    }
}

/* NULL: the step is not known. */
static const struct known_step *find(struct known *known, const struct tree *tree, uint64_t key)
{
    const struct known_step *entry = find_step(known, ending_key(tree, key));
    if (entry->key == 0)
        entry = find_step(known, key);
    return entry->key && proves_itself(known, entry) ? entry : NULL;
}

static bool walk(struct known *known, struct tree *tree, struct bpor_tree_facts *facts)
{
    struct told_step *told = &known->told;
    for (;;) {
        struct frame *frame = &tree->frame[tree->frames - 1];
        unsigned thread = frame->chosen;
        uint64_t ready;
        uint64_t key = history_key(tree, thread);
        const struct known_step *entry = find(known, tree, key);
        if (!entry || frame->timed || tree->depth + 2 >= tree->order.max_steps)
            return false;
        if (!take_step(known, entry, key, tree, thread, told, known->pool))
            return false;
        tree_step(tree, facts, told);
        if (tree->full)
            return false;
        if (!state_is_known(known, tree, told->ends_process, &ready)) {
            history_pop(tree);
            return false;
        }
        tree_state(tree, told, ready, 0);
        if (ready == 0) {
            end_run(known, tree, facts, BPOR_OUTCOME_EXIT);
            return true;
        }
        frame = &tree->frame[tree->frames - 1];
        known->refused += rule_refuses_somebody(tree, frame);
        thread = rule_initialize(tree, frame);
        if (thread == NO_THREAD) {
            end_run(known, tree, facts, rule_why_nobody(tree, frame));
            return true;
        }
        tree_choose(tree, facts, thread);
    }
}

bool known_walk(struct known *known, struct tree *tree, struct bpor_tree_facts *facts)
{
    bool walked = walk(known, tree, facts);
    if (!walked && !tree->full)
        look_outside(known, tree);
    return walked;
}
