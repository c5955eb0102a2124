/* Circles. Only a thread that goes round in a loop and waits for others is to be kept waiting by the fair bound: whatever such a
 * round would bring, a schedule with fewer of them brings too. In straight-line code, or in a loop that gets on with something,
 * being kept waiting loses schedules.
 *
 * A place is a call site, the stack pointer there and what was asked for. A thread that is there again goes round in circles if
 * nothing differs from its last visit: what its own steps changed (spin.c), its registers and the innermost bytes of its stack.
 * If something differs and nobody else has run it gets on; that it may do MOVES times. After that it may be kept waiting like any
 * other, for loops that count their rounds while they wait must end too; policy.c notes that schedules are lost then. A loop that
 * went round ENOUGH times while nobody else ran, with nothing done in it, is taken for one that waits and only counts: back-off
 * in a library counts for ever. That is an assumption, and the verdict names it. */
#include "loops/circle.h"
#include "loops/around.h"
#include "memory/memory.h"
#include "runtime/reserve.h"
#include "state/digest.h"

enum { PLACES = 32, WINDOW = 1024, MOVES = 8, ENOUGH = BPOR_FAIR_ENOUGH / 2, FEW_PLACES = 8, FEW_VISITS = 4 };

struct place {
    uint64_t key;
    struct changed changed;
    uint64_t output;
    uint64_t frame;  /* registers and the innermost bytes of the stack */
    uint64_t calls;  /* 0: not looked at yet */
    uint64_t others; /* steps of other threads before the last visit */
    uint32_t moves;  /* visits in a row that found it getting on ... */
    uint32_t counts; /* ... with nothing done since the one before */
    bool excused;    /* being here is part of something else */
    bool by_calls;   /* LOOK_AT_CALLS: `frame` does not count, and output does */
};

static struct places {
    uint32_t used;
    uint32_t oldest;
    uint64_t output; /* calls that wrote something out of the model's sight */
    uint32_t last;   /* visited */
    uint32_t seldom; /* places in the next table */
    struct seldom {  /* visited, where few visits do not matter */
        uint64_t key;
        uint32_t visits;
    } few[FEW_PLACES];
    struct place place[PLACES];
} * places;

void bpor_circle_reserve(void)
{
    places = bpor_reserve(sizeof *places * BPOR_MAX_THREADS);
}

void bpor_circle_output(struct thread *thread)
{
    places[thread->id].output++;
}

/* ---- where the program stands ---- */

static uint64_t bytes_of_frames(const struct thread *thread, uintptr_t stack)
{
    uint64_t hash = 1;
    if (stack < thread->stack_low || stack > thread->stack_top)
        return hash; /* on a stack of the program's own */
    uintptr_t end = thread->stack_top - stack < WINDOW ? thread->stack_top : stack + WINDOW;
    for (const uint64_t *word = (const uint64_t *)stack; (uintptr_t)(word + 1) <= end; word++)
        hash = bpor_mix(hash, *word);
    return hash;
}

/* ---- visits ---- */

static struct place *find(struct places *mine, uint64_t key)
{
    for (uint32_t i = 0; i < mine->used; i++)
        if (mine->place[i].key == key)
            return &mine->place[i];
    return NULL;
}

static struct place *new_place(struct places *mine)
{
    return &mine->place[mine->used < PLACES ? mine->used++ : mine->oldest++ % PLACES];
}

static bool did_nothing(const struct place *before, const struct place *now)
{
    return before->changed.progress == now->changed.progress && before->changed.balance == now->changed.balance;
}

static bool is_same(const struct place *before, const struct place *now)
{
    return did_nothing(before, now) && (now->by_calls ? before->output == now->output : before->frame == now->frame);
}

static enum visit judge(struct place *place, const struct place *now)
{
    bool alone = place->others == now->others;
    if (is_same(place, now)) {
        place->moves = place->counts = 0;
        return VISIT_SAME;
    }
    if (place->calls != now->calls)
        return VISIT_FIRST;
    place->moves += alone;
    place->counts = did_nothing(place, now) && place->output == now->output ? place->counts + alone : 0;
    return alone ? VISIT_MOVED : VISIT_NEWS;
}

/* Answers the place, as it is now. */
static const struct place *visit(struct thread *thread, struct place now, enum visit *result)
{
    struct places *mine = &places[thread->id];
    struct place *place = find(mine, now.key);
    *result = VISIT_FIRST;
    now.excused = place && place->excused;
    if (place == NULL)
        place = new_place(mine);
    else if (!now.excused)
        *result = judge(place, &now);
    if (*result == VISIT_FIRST)
        place->moves = place->counts = 0;
    now.moves = place->moves;
    now.counts = place->counts;
    *place = now;
    mine->last = (uint32_t)(place - mine->place);
    return place;
}

static struct place look_at(struct thread *thread, uint64_t site, uint64_t what, enum circle_look look)
{
    struct places *mine = &places[thread->id];
    struct around around = bpor_look_around(thread, site, AROUND_ALL_CALLS);
    struct place now = {
        .key = bpor_mix(bpor_mix(site, what), around.stack),
        .changed = bpor_spin_changes(thread),
        .output = mine->output,
        .calls = around.calls,
        .others = bpor->steps - thread->steps,
        .by_calls = look == LOOK_AT_CALLS,
    };
    if (now.by_calls)
        now.key = bpor_mix(now.key, around.calls);
    else
        now.frame = bpor_mix(bpor_mix(around.registers, bpor_call_registers(thread)), bytes_of_frames(thread, around.stack));
    return now;
}

/* Counts only say what differs from now. */
void bpor_circle_digest(const struct thread *thread, struct digest *set)
{
    const struct places *mine = &places[thread->id];
    struct changed now = bpor_spin_noted(thread);
    uint64_t others = bpor->steps - thread->steps;
    struct digest all = digest_of(thread->id);
    digest_next(&all, mine->used == PLACES ? mine->oldest % PLACES : mine->used);
    for (uint32_t i = 0; i < mine->used; i++) {
        const struct place *place = &mine->place[i];
        bool kept = place->changed.progress == now.progress, wrote = place->output != mine->output,
             alone = place->others == others;
        uint64_t moves = place->moves <= MOVES ? place->moves : MOVES + 1,
                 counts = place->counts < ENOUGH ? place->counts : ENOUGH;
        digest_next(&all, place->key);
        digest_next(&all, kept ? place->changed.balance - now.balance : 0);
        digest_next(&all, place->frame);
        digest_next(&all, place->calls);
        digest_next(&all,
                    counts << 32 | moves << 8 | kept << 4 | wrote << 3 | alone << 2 | place->excused << 1 | place->by_calls);
    }
    digest_include(set, all);
}

void bpor_circle_excuse(struct thread *thread)
{
    struct places *mine = &places[thread->id];
    mine->place[mine->last].excused = mine->used > 0;
}

enum visit bpor_circle_visit(struct thread *thread, uint64_t site, uint64_t what, enum circle_look look)
{
    enum visit result;
    visit(thread, look_at(thread, site, what, look), &result);
    return result;
}

/* No bound asks what leaving a thread costs, or whom to keep waiting: yields are only told. */
static bool only_told(void)
{
    return !bpor_is_bounded() && bpor->plan.quantum == 0 && bpor->plan.sample == 0;
}

/* Has the thread been here only a few times? Comparing its whole state is expensive, and a few failed tries are no loop yet. */
static bool is_seldom(struct places *mine, uint64_t key)
{
    for (uint32_t i = 0; i < mine->seldom; i++)
        if (mine->few[i].key == key)
            return ++mine->few[i].visits < FEW_VISITS;
    if (mine->seldom == FEW_PLACES)
        return false;
    mine->few[mine->seldom++] = (struct seldom){key, 1};
    return true;
}

void bpor_circle_mark(struct thread *thread, enum circle_look look)
{
    struct operation *op = &thread->op;
    if (!bpor_past_counts())
        return;
    uint64_t what = bpor_mix(op->kind, op->accesses ? op->access[0].object : 0);
    if (only_told() && is_seldom(&places[thread->id], bpor_mix(op->site, what)))
        return;
    enum visit result;
    const struct place *place = visit(thread, look_at(thread, op->site, what, look), &result);
    op->circles = result == VISIT_SAME || (result == VISIT_MOVED && place->moves > MOVES);
    op->counts = result == VISIT_MOVED && place->counts >= ENOUGH;
    op->moves = result == VISIT_MOVED && !op->counts;
    bool asks_to = look == LOOK_AT_CALLS || bpor_properties(op->kind) & YIELDS || bpor_counting_waits();
    if (asks_to ? result != VISIT_FIRST : op->circles)
        op->flags |= BPOR_FLAG_YIELD;
}

static bool seen_to_poll(uint64_t site)
{
    const struct bpor_config *config = &bpor->shared->config;
    for (unsigned i = 0; i < config->polling_count; i++)
        if (config->polling[i] == site)
            return true;
    return false;
}

void bpor_circle_mark_polling(struct thread *thread)
{
    struct operation *op = &thread->op;
    if (op->flags & BPOR_FLAG_YIELD || !seen_to_poll(op->site))
        return;
    bpor_circle_mark(thread, LOOK_AT_FRAME);
    if (op->flags & BPOR_FLAG_YIELD)
        op->flags |= BPOR_FLAG_INFERRED;
}
