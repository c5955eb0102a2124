/* A tree as numbers, for a later process: what bpor/search/engine/tree_state.py needs of it. Steps are not saved: one execution
 * of the stack's schedule brings them back. The reader is bpor/target/saved_tree.py. */
#include "engine/tree.h"

struct writer {
    uint64_t *at;
    uint64_t *end;
    bool full;
};

static void put(struct writer *writer, uint64_t word)
{
    if (writer->at == writer->end)
        writer->full = true;
    else
        *writer->at++ = word;
}

static void put_touch(struct writer *writer, const struct tree *tree, uint32_t touch)
{
    const struct cell *cell = &tree->cell[touched_cell(touch)];
    put(writer, cell->object);
    put(writer, cell->size);
    put(writer, writes(touch));
}

static void put_watch(struct writer *writer, const struct tree *tree, uint32_t number)
{
    put(writer, tree->watch[number].count);
    for (uint32_t at = tree->watch[number].chunk; at; at = tree->chunk[at].next)
        for (uint32_t i = 0; i < tree->chunk[at].count; i++)
            put_touch(writer, tree, tree->chunk[at].touch[i]);
}

static bool is_usable(const struct tree *tree, uint32_t number)
{
    return number != WATCH_NONE && number != WATCH_NEVER && !tree->watch[number].open && !tree->watch[number].dead;
}

/* Of the thread being tried; a watch that cannot be used is none. Preceded by 1 or 0. */
static void put_open_watch(struct writer *writer, const struct tree *tree, const struct frame *frame, const struct pushed *step)
{
    bool usable = frame->watch == WATCH_STEP || is_usable(tree, frame->watch);
    put(writer, usable);
    if (!usable)
        return;
    if (frame->watch != WATCH_STEP) {
        put_watch(writer, tree, frame->watch);
        return;
    }
    put(writer, step->touches);
    for (uint32_t i = 0; i < step->touches; i++)
        put_touch(writer, tree, tree->touch[step->first_touch + i]);
}

/* Of the alternatives that it took before, all together. */
static void put_kept(struct writer *writer, const struct tree *tree, const struct frame *frame)
{
    bool usable = is_usable(tree, frame->kept);
    put(writer, frame->alternative);
    put(writer, usable);
    if (usable)
        put_watch(writer, tree, frame->kept);
}

static void put_watches(struct writer *writer, const struct tree *tree, uint32_t first)
{
    uint64_t count = 0;
    for (uint32_t at = first; at; at = tree->watch[at].next)
        count++;
    put(writer, count);
    for (uint32_t at = first; at; at = tree->watch[at].next) {
        put(writer, tree->watch[at].thread);
        put_watch(writer, tree, at);
    }
}

static void put_sleepers(struct writer *writer, const struct tree *tree, const struct frame *frame)
{
    uint32_t count = (uint32_t)__builtin_popcountll(frame->asleep);
    put(writer, count);
    for (uint32_t i = 0; i < count; i++) {
        put(writer, tree->sleeper[frame->sleepers + i].thread);
        put_watch(writer, tree, tree->sleeper[frame->sleepers + i].watch);
    }
}

static void put_frame(struct writer *writer, const struct tree *tree, uint32_t index)
{
    const struct frame *frame = &tree->frame[index];
    const uint64_t plain[] = {
        frame->backtrack, frame->conservative, frame->done,         frame->whole,
        frame->exceeded,  frame->refused,      frame->chosen,       frame->runs_before,
        frame->sizes,     frame->sizes_sum,    frame->sizes_least,  frame->sizes_most,
        frame->enabled,   frame->timed,        frame->fair_blocked, frame->cost,
        frame->free,      frame->alternative,  frame->alternatives, index ? tree->step[index - 1].step_hash : 0};
    for (unsigned i = 0; i < sizeof plain / sizeof plain[0]; i++)
        put(writer, plain[i]);
    put_sleepers(writer, tree, frame);
    put_watches(writer, tree, frame->watches);
    put_open_watch(writer, tree, frame, &tree->step[index]);
    put_kept(writer, tree, frame);
}

/* What wakes the thread chosen at a frame, once it was run. */
uint64_t tree_save_watch(const struct tree *tree, uint32_t index, uint64_t *words, uint64_t room)
{
    struct writer writer = {words, words + room, false};
    put_open_watch(&writer, tree, &tree->frame[index], &tree->step[index]);
    return writer.full ? 0 : (uint64_t)(writer.at - words);
}

/* Answers the number of words; 0: there is no room. */
uint64_t tree_save(const struct tree *tree, uint64_t *words, uint64_t room)
{
    struct writer writer = {words, words + room, false};
    put(&writer, tree->frames);
    put(&writer, tree->depth ? tree->step[tree->depth - 1].step_hash : 0);
    for (uint32_t i = 0; i < tree->frames; i++)
        put_frame(&writer, tree, i);
    return writer.full ? 0 : (uint64_t)(writer.at - words);
}
