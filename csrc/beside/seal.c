/* Seal: a checksum of everything the search goes on with, taken before the program runs and compared after it. The program shares
 * our address space and may have a wild pointer; a search that was written over must never say that it found nothing.
 *
 * Where the processor has keys of memory protection (key.h) the trees need no sum: a write to one faults. Taking write permission
 * away by mprotect does the same everywhere, but two such calls cost more than a small execution, so that is done to pages that
 * do not change (frozen.h), and the sum is of the others.
 *
 * Tables of hashes are not sealed: they only count what is distinct. Nor are entries of threads that never existed: history.c
 * clears them when they come to be. The table that finds objects is checked where it is used (cells.c). */
#include "beside/place.h"
#include "beside/search.h"

/* Fletcher's sums of 64-bit words in two pairs of lanes, each of which is a register, and of what is too short for them: any
 * single word that changes shows. */
typedef uint64_t lanes __attribute__((vector_size(16), aligned(8), may_alias));

struct sums {
    lanes plain[2];
    lanes weighted[2];
    uint64_t rest;
    uint64_t weighted_rest;
};

/* The same sums: four lanes of one register are the two pairs. */
typedef uint64_t wide_lanes __attribute__((vector_size(32), aligned(8), may_alias));
enum { BLOCK = 8 /* words */ };

__attribute__((target("avx2"))) static const uint64_t *add_blocks(struct sums *sums, const uint64_t *word, const uint64_t *end)
{
    wide_lanes plain = *(const wide_lanes *)sums->plain, weighted = *(const wide_lanes *)sums->weighted;
    for (; end - word >= BLOCK; word += BLOCK) {
        plain += *(const wide_lanes *)word;
        weighted += plain;
        plain += *(const wide_lanes *)(word + BLOCK / 2);
        weighted += plain;
    }
    *(wide_lanes *)sums->plain = plain;
    *(wide_lanes *)sums->weighted = weighted;
    return word;
}

static inline void add(struct sums *sums, const void *data, size_t bytes)
{
    const uint64_t *word = data, *end = word + bytes / sizeof *word;
    if (end - word >= 4 * BLOCK && __builtin_cpu_supports("avx2"))
        word = add_blocks(sums, word, end);
    if (end - word >= 4) {
        lanes plain = sums->plain[0], other = sums->plain[1], weighted = sums->weighted[0], other_weighted = sums->weighted[1];
        for (; end - word >= 4; word += 4) {
            plain += *(const lanes *)word;
            other += *(const lanes *)(word + 2);
            weighted += plain;
            other_weighted += other;
        }
        *sums = (struct sums){{plain, other}, {weighted, other_weighted}, sums->rest, sums->weighted_rest};
    }
    for (; word < end; word++) {
        sums->rest += *word;
        sums->weighted_rest += sums->rest;
    }
}

static uint64_t total(const struct sums *sums)
{
    uint64_t sum = bpor_mix(sums->rest, sums->weighted_rest);
    for (unsigned pair = 0; pair < 2; pair++)
        for (unsigned lane = 0; lane < 2; lane++)
            sum = bpor_mix(bpor_mix(sum, sums->plain[pair][lane]), sums->weighted[pair][lane]);
    return sum;
}

/* Where something was left out. */
static void add_gap(struct sums *sums, const void *from, const void *to)
{
    const uint64_t gap[] = {(uintptr_t)from, (uintptr_t)to};
    add(sums, gap, sizeof gap);
}

struct stretch {
    size_t from;
    size_t end;
};

/* Of a table's entries from one on: the next that are not frozen, or only in part. */
static struct stretch thawed_stretch(struct sums *sums, const void *table, size_t size, size_t from, size_t count)
{
    const uint8_t *first = table, *end = first + count * size, *at = first + from * size;
    const uint8_t *behind = frozen_behind(at, end), *next = frozen_next(behind, end);
    if (behind > at)
        add_gap(sums, at, behind);
    return (struct stretch){(size_t)(behind - first) / size, ((size_t)(next - first) + size - 1) / size};
}

static void add_thawed(struct sums *sums, const void *table, size_t bytes)
{
    const uint8_t *byte = table;
    frozen_take(table, bytes);
    for (size_t at = 0; at < bytes;) {
        struct stretch some = thawed_stretch(sums, table, sizeof *byte, at, bytes);
        add(sums, byte + some.from, some.end - some.from);
        at = some.end;
    }
}

/* Behind the last entry of a table there is always another one, or the next table. */
#define WHOLE_WORDS(table, height) (((size_t)(height) * sizeof(table)[0] + 7) & ~(size_t)7)

/* A table, up to its height. */
#define ADD_TABLE(sums, table, height) add_thawed(sums, table, WHOLE_WORDS(table, height))

/* Of a few threads a clock is a few words, for which lanes are not worth loading. */
static void add_short_clocks(struct sums *sums, const clock_vector *clock, size_t count, unsigned words)
{
    uint64_t rest = sums->rest, weighted = sums->weighted_rest;
    for (size_t i = 0; i < count; i++)
        for (unsigned word = 0; word < words; word++)
            weighted += rest += ((const uint64_t *)clock[i].steps)[word];
    sums->rest = rest;
    sums->weighted_rest = weighted;
}

static void add_some_clocks(struct sums *sums, const struct tree *tree, const clock_vector *clock, size_t count)
{
    enum { SHORT = 8 };
    if (tree->width <= SHORT) {
        add_short_clocks(sums, clock, count, (tree->width + 1) / 2);
        return;
    }
    for (size_t i = 0; i < count; i++)
        add(sums, clock[i].steps, WHOLE_WORDS(clock[i].steps, tree->width));
}

static void add_clocks(struct sums *sums, const struct tree *tree, const clock_vector *clock, uint32_t count)
{
    frozen_take(clock, count * sizeof *clock);
    for (size_t at = 0; at < count;) {
        struct stretch some = thawed_stretch(sums, clock, sizeof *clock, at, count);
        add_some_clocks(sums, tree, &clock[some.from], some.end - some.from);
        at = some.end;
    }
}

static void add_cell(struct sums *sums, const struct tree *tree, const struct cell *cell)
{
    add(sums, cell, offsetof(struct cell, writer));
    ADD_TABLE(sums, cell->writer, tree->width);
    ADD_TABLE(sums, cell->reader, tree->width);
    ADD_TABLE(sums, cell->held, tree->width);
    add_clocks(sums, tree, &cell->reads_clock, cell->has_reads);
}

static void add_cells(struct sums *sums, const struct tree *tree)
{
    frozen_take(tree->cell, tree->cells * sizeof tree->cell[0]);
    for (size_t at = 0; at < tree->cells;) {
        struct stretch some = thawed_stretch(sums, tree->cell, sizeof tree->cell[0], at, tree->cells);
        for (size_t i = some.from; i < some.end; i++)
            add_cell(sums, tree, &tree->cell[i]);
        at = some.end;
    }
}

static void add_watches(struct sums *sums, const struct tree *tree)
{
    ADD_TABLE(sums, tree->watch, tree->watches + 1);
    ADD_TABLE(sums, tree->chunk, tree->chunks + 1);
}

/* What is off the way proves itself when it is needed, and what wakes a sleeper belongs to a state: see open/open.h. */
static void add_open(struct sums *sums, const struct tree *tree)
{
    const struct open *open = &tree->open;
    add(sums, open, offsetof(struct open, way));
    ADD_TABLE(sums, open->way, tree->frames);
    for (uint32_t i = 0; i < tree->frames; i++) {
        uint64_t check = open_watches_check(tree, tree->frame[i].watches);
        add(sums, &open->node[open->way[i]], sizeof open->node[0]);
        add(sums, &check, sizeof check);
        check = tree->frame[i].watch < MAX_WATCHES ? open_watches_check(tree, tree->frame[i].watch) : 0;
        add(sums, &check, sizeof check);
    }
}

/* What waits proves itself, and what is covered are hashes: see cartesian/waiting.c. */
static void add_cartesian(struct sums *sums, const struct cartesian *cartesian)
{
    add(sums, cartesian, offsetof(struct cartesian, path));
    ADD_TABLE(sums, cartesian->path, cartesian->depth);
    ADD_TABLE(sums, cartesian->move, cartesian->moves);
    ADD_TABLE(sums, cartesian->touch, cartesian->touches);
}

uint64_t tree_seal(const struct tree *tree)
{
    struct sums sums = {0};
    add(&sums, tree, offsetof(struct tree, actor));
    ADD_TABLE(&sums, tree->actor, tree->width);
    ADD_TABLE(&sums, tree->cell_order, tree->cells);
    ADD_TABLE(&sums, tree->near, tree->nears + 1);
    add_cells(&sums, tree);
    ADD_TABLE(&sums, tree->operation, tree->operations);
    ADD_TABLE(&sums, tree->touch, tree->touches);
    ADD_TABLE(&sums, tree->saved_cell, tree->saved_cells);
    add_clocks(&sums, tree, tree->saved_clock, tree->saved_clocks);
    ADD_TABLE(&sums, tree->sleeper, tree->sleepers);
    if (tree->best_first)
        add_open(&sums, tree);
    else
        add_watches(&sums, tree);
    ADD_TABLE(&sums, tree->step, tree->depth);
    add_clocks(&sums, tree, tree->clock, tree->depth);
    ADD_TABLE(&sums, tree->frame, tree->frames);
    ADD_TABLE(&sums, tree->wanted, tree->root);
    ADD_TABLE(&sums, tree->matching.mark, tree->matches ? tree->frames : 0);
    if (tree->by_cartesian)
        add_cartesian(&sums, &tree->cartesian);
    return total(&sums);
}

uint64_t optimal_seal(const struct optimal *optimal, const struct tree *tree)
{
    struct sums sums = {0};
    add(&sums, optimal, offsetof(struct optimal, follow));
    ADD_TABLE(&sums, optimal->follow, optimal->follows);
    ADD_TABLE(&sums, optimal->asked, optimal->question.count + 1);
    ADD_TABLE(&sums, optimal->visit, tree->touches);
    ADD_TABLE(&sums, optimal->head, tree->cells);
    ADD_TABLE(&sums, optimal->step_footprint, tree->depth);
    ADD_TABLE(&sums, optimal->node, optimal->nodes);
    ADD_TABLE(&sums, optimal->sleeper, optimal->sleeping_count);
    ADD_TABLE(&sums, optimal->branch, optimal->branches + 1);
    ADD_TABLE(&sums, optimal->strip, optimal->strips + 1);
    ADD_TABLE(&sums, optimal->footprint, optimal->footprints + 1);
    ADD_TABLE(&sums, optimal->footprint_touch, optimal->footprint_touches);
    return total(&sums);
}

uint64_t facts_seal(const struct bpor_tree_facts *facts)
{
    const uint64_t numbers[] = {facts->begun, facts->finished, facts->running, facts->refused, facts->depth};
    struct sums sums = {0};
    add(&sums, numbers, sizeof numbers);
    add(&sums, &facts->tally, offsetof(struct bpor_tally, traces));
    ADD_TABLE(&sums, facts->schedule, facts->depth + 1);
    return total(&sums);
}

uint64_t counts_seal(const struct bpor_tally *tally, const struct bpor_answer *answer)
{
    const uint64_t numbers[] = {answer->tree, answer->executions, (uint64_t)answer->lead};
    struct sums sums = {0};
    add(&sums, numbers, sizeof numbers);
    add(&sums, tally, offsetof(struct bpor_tally, traces));
    return total(&sums);
}

uint64_t bpor_bytes_seal(const void *data, size_t bytes)
{
    struct sums sums = {0};
    add(&sums, data, bytes);
    return total(&sums);
}

/* An event of the log; `before`: of those before it. */
uint64_t event_seal(const struct bpor_event *event, uint64_t before)
{
    const uint64_t *word = (const uint64_t *)event;
    uint64_t sum = 0;
#pragma GCC unroll 32
    for (unsigned i = 0; i < sizeof *event / sizeof *word; i++)
        sum += word[i] * (2 * i + 1);
    return (before + sum) * 0x9e3779b97f4a7c15u;
}
