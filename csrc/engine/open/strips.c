/* A step as words, in pieces of one size: threads keep their numbers, because the way to a state is one schedule. */
#include "engine/tree.h"

struct writing {
    struct tree *tree;
    uint32_t first;
    uint32_t last;
    uint32_t count; /* words in the last piece */
};

static uint32_t piece_new(struct tree *tree)
{
    struct open *open = &tree->open;
    uint32_t number = open->free_strip;
    if (number) {
        open->free_strip = open->strip[number].next;
    } else if (open->strips + 1 < MAX_OPEN_STRIPS) {
        number = ++open->strips;
    } else {
        tree_give_up(tree, "steps on the way to open choices");
        return 0;
    }
    open->strips_alive++;
    open->strip[number].next = 0;
    return number;
}

static void put(struct writing *writing, uint64_t word)
{
    struct open *open = &writing->tree->open;
    if (writing->count == STRIP_WORDS) {
        uint32_t next = piece_new(writing->tree);
        open->strip[writing->last].next = next;
        writing->last = next;
        writing->count = 0;
    }
    if (writing->last)
        open->strip[writing->last].word[writing->count++] = word;
}

static void put_accesses(struct writing *writing, const struct bpor_access *access, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put(writing, access[i].object);
        put(writing, (uint64_t)access[i].size << 1 | (access[i].write != 0));
    }
}

uint32_t strip_of_words(struct tree *tree, uint64_t (*next)(void *source), void *source, uint32_t count)
{
    struct writing writing = {.tree = tree};
    writing.first = writing.last = piece_new(tree);
    while (count-- > 0)
        put(&writing, next(source));
    return writing.first;
}

/* Answers the first piece. */
uint32_t strip_put(struct tree *tree, const struct told_step *step)
{
    struct writing writing = {.tree = tree};
    writing.first = writing.last = piece_new(tree);
    put(&writing, (uint64_t)step->thread | (uint64_t)step->flags << 8 | (uint64_t)step->ends_process << 16 |
                      (uint64_t)step->announced << 24 | (uint64_t)step->accesses << 32);
    put(&writing, step->finished);
    put_accesses(&writing, step->access, step->accesses);
    for (unsigned i = 0; i < step->announced; i++) {
        const struct told_operation *operation = &step->operation[i];
        put(&writing, (uint64_t)operation->thread | (uint64_t)operation->kind << 8 | (uint64_t)operation->order << 16 |
                          (uint64_t)operation->timed << 24 | (uint64_t)operation->target << 32);
        put(&writing, operation->accesses);
        put(&writing, operation->site);
        put(&writing, operation->stack);
        put_accesses(&writing, operation->access, operation->accesses);
    }
    return writing.first;
}

/* ---- back ---- */

struct reading {
    const struct open *open;
    uint32_t piece;
    uint32_t count;
    struct bpor_access *pool;
};

static uint64_t take(struct reading *reading)
{
    if (reading->count == STRIP_WORDS) {
        reading->piece = reading->open->strip[reading->piece].next;
        reading->count = 0;
    }
    return reading->open->strip[reading->piece].word[reading->count++];
}

static const struct bpor_access *take_accesses(struct reading *reading, unsigned count)
{
    const struct bpor_access *first = reading->pool;
    for (unsigned i = 0; i < count; i++) {
        uint64_t object = take(reading), rest = take(reading);
        *reading->pool++ = (struct bpor_access){object, (uint32_t)(rest >> 1), rest & 1};
    }
    return first;
}

/* As it was told, but for its hash and who was enabled. */
void strip_take(struct open *open, uint32_t number, struct told_step *step)
{
    struct reading reading = {open, number, 0, open->pool};
    uint64_t head = take(&reading);
    step->thread = (uint8_t)head;
    step->flags = (uint8_t)(head >> 8);
    step->ends_process = head >> 16 & 1;
    step->announced = head >> 24 & 0xff;
    step->accesses = (unsigned)(head >> 32);
    step->finished = take(&reading);
    step->access = take_accesses(&reading, step->accesses);
    for (unsigned i = 0; i < step->announced; i++) {
        struct told_operation *operation = &step->operation[i];
        uint64_t word = take(&reading);
        operation->thread = (uint8_t)word;
        operation->kind = (uint8_t)(word >> 8);
        operation->order = (uint8_t)(word >> 16);
        operation->timed = word >> 24 & 1;
        operation->target = (uint16_t)(word >> 32);
        operation->accesses = (unsigned)take(&reading);
        operation->site = take(&reading);
        operation->stack = take(&reading);
        operation->access = take_accesses(&reading, operation->accesses);
    }
}

/* ---- its words ---- */

static uint32_t words_of_accesses(uint64_t count)
{
    return 2 * (uint32_t)count;
}

uint64_t strip_next(const struct open *open, struct strip_cursor *cursor)
{
    struct reading reading = {open, cursor->piece, cursor->count, NULL};
    uint64_t word = take(&reading);
    *cursor = (struct strip_cursor){reading.piece, reading.count, cursor->left - 1};
    return word;
}

/* As many as strip_put wrote. */
struct strip_cursor strip_begin(const struct open *open, uint32_t number)
{
    struct strip_cursor cursor = {.piece = number}, begin = cursor;
    uint64_t head = strip_next(open, &cursor);
    begin.left = 2 + words_of_accesses(head >> 32);
    for (uint32_t skipped = 1; skipped < begin.left; skipped++)
        strip_next(open, &cursor);
    for (uint64_t i = 0; i < (head >> 24 & 0xff); i++) {
        strip_next(open, &cursor);
        uint32_t words = 2 + words_of_accesses(strip_next(open, &cursor));
        for (uint32_t skipped = 0; skipped < words; skipped++)
            strip_next(open, &cursor);
        begin.left += 2 + words;
    }
    return begin;
}

uint32_t strip_pieces(const struct open *open, uint32_t number)
{
    uint32_t pieces = 0;
    for (; number; number = open->strip[number].next)
        pieces++;
    return pieces;
}

void strip_free(struct open *open, uint32_t number)
{
    while (number) {
        uint32_t next = open->strip[number].next;
        open->strip[number].next = open->free_strip;
        open->free_strip = number;
        open->strips_alive--;
        number = next;
    }
}

/* Words behind the last one count too: they stay as they are while the strip is kept. */
uint64_t strip_check(const struct open *open, uint32_t number)
{
    uint64_t check = 1;
    for (unsigned pieces = 0; number && number < MAX_OPEN_STRIPS && pieces < MAX_OPEN_STRIPS; pieces++) {
        for (unsigned i = 0; i < STRIP_WORDS; i++)
            check = check * 0x9e3779b97f4a7c15u + open->strip[number].word[i];
        number = open->strip[number].next;
        check += number;
    }
    return check;
}
