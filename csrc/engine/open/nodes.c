/* The states that are kept. A node lives while it is on the way, or while a choice is open at it or below it, so that storage
 * follows the open executions (GAMBIT's self-deleting nodes). */
#include "engine/tree.h"
#include <stddef.h>

uint32_t open_node_new(struct tree *tree, uint32_t parent)
{
    struct open *open = &tree->open;
    uint32_t number = open->free_node;
    if (number) {
        open->free_node = open->node[number].parent;
    } else if (open->nodes + 1 < MAX_OPEN_NODES) {
        number = ++open->nodes;
    } else {
        tree_give_up(tree, "states with open choices");
        return 0;
    }
    struct open_node *node = &open->node[number];
    uint32_t generation = node->generation + 1;
    *node = (struct open_node){.parent = parent, .generation = generation, .used = true};
    if (parent) {
        open->node[parent].children++;
        node->depth = open->node[parent].depth + 1;
    }
    open->alive++;
    if (open->most < open->alive)
        open->most = open->alive;
    return number;
}

/* With what wakes the threads that sleep in it. */
void open_node_free(struct tree *tree, uint32_t number)
{
    struct open *open = &tree->open;
    struct open_node *node = &open->node[number];
    while (node->watches) {
        uint32_t watch = node->watches;
        node->watches = tree->watch[watch].next;
        watch_free(tree, watch);
    }
    strip_free(open, node->strip);
    if (node->parent)
        open->node[node->parent].children--;
    node->used = false;
    node->open = 0;
    node->parent = open->free_node;
    open->free_node = number;
    open->alive--;
}

typedef uint64_t aliasing_word __attribute__((may_alias));

static uint64_t mixed_words(uint64_t check, const void *data, size_t bytes)
{
    const aliasing_word *word = data;
    for (size_t i = 0; i < bytes / sizeof *word; i++)
        check = check * 0x9e3779b97f4a7c15u + word[i];
    return check;
}

uint64_t open_watches_check(const struct tree *tree, uint32_t first)
{
    uint64_t check = 1;
    unsigned watches = 0, chunks = 0;
    for (uint32_t at = first; at && at < MAX_WATCHES && watches < THREADS; at = tree->watch[at].next, watches++) {
        check = mixed_words(check, &tree->watch[at], sizeof tree->watch[at]);
        for (uint32_t k = tree->watch[at].chunk; k && k < MAX_CHUNKS && chunks < MAX_CHUNKS; k = tree->chunk[k].next, chunks++)
            check = mixed_words(check, &tree->chunk[k], sizeof tree->chunk[k]);
    }
    return check;
}

static uint64_t check_of(const struct tree *tree, const struct open_node *node)
{
    uint64_t check = strip_check(&tree->open, node->strip) ^ open_watches_check(tree, node->watches);
    return mixed_words(check, node, offsetof(struct open_node, check));
}

void open_node_seal(struct tree *tree, uint32_t number)
{
    struct open_node *node = &tree->open.node[number];
    node->check = check_of(tree, node);
}

/* Its frame leaves the stack. */
void open_node_keep(struct tree *tree, uint32_t number, const struct frame *frame)
{
    struct open_node *node = &tree->open.node[number];
    node->enabled = frame->enabled;
    node->timed = frame->timed;
    node->backtrack = frame->backtrack;
    node->conservative = frame->conservative;
    node->done = frame->done;
    node->asleep = frame->asleep;
    node->whole = frame->whole;
    node->raced = frame->raced;
    node->watches = frame->watches;
    node->exceeded = frame->exceeded;
    node->refused = frame->refused;
    open_node_seal(tree, number);
}

bool open_node_is_intact(const struct tree *tree, uint32_t number)
{
    const struct open_node *node = &tree->open.node[number];
    return node->used && node->check == check_of(tree, node);
}
