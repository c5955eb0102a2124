/* std::_Rb_tree_node_base: red-black trees (Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, chapter 13) whose
 * leaves are null. The header is no node of the tree: its parent is the root, its children are the first and the last node, and
 * it is red. */
#include "instrument/told.h"
#include <stdbool.h>
#include <stddef.h>

enum { RED, BLACK };
enum { LEFT, RIGHT };

struct node {
    uint32_t colour;
    struct node *parent;
    struct node *child[2];
};

static uint32_t colour_of(const struct node *node)
{
    __tsan_read4((void *)&node->colour);
    return node->colour;
}

static void paint(struct node *node, uint32_t colour)
{
    __tsan_write4(&node->colour);
    node->colour = colour;
}

static bool is_black(const struct node *node)
{
    return node == NULL || colour_of(node) == BLACK;
}

/* The last one in that direction. */
static struct node *outermost(struct node *node, int side)
{
    for (struct node *next; (next = READ(node->child[side])) != NULL;)
        node = next;
    return node;
}

static int side_of(const struct node *node, const struct node *parent)
{
    return READ(parent->child[RIGHT]) == node;
}

/* Replaces a node by another one, which may be null, at its parent. */
static void replace(struct node *node, struct node *by, struct node *header)
{
    struct node *parent = READ(node->parent);
    if (READ(header->parent) == node)
        WRITE(header->parent, by);
    else
        WRITE(parent->child[side_of(node, parent)], by);
}

/* A node goes down on that side, and its child on the other one takes its place. */
static void rotate(struct node *node, int side, struct node *header)
{
    struct node *up = READ(node->child[!side]), *between = READ(up->child[side]);
    WRITE(node->child[!side], between);
    if (between)
        WRITE(between->parent, node);
    WRITE(up->parent, READ(node->parent));
    replace(node, up, header);
    WRITE(up->child[side], node);
    WRITE(node->parent, up);
}

/* Behind the last node comes the header: the way up ends there one step too late if the root is the last node. */
static struct node *next(struct node *node)
{
    struct node *child = READ(node->child[RIGHT]);
    if (child)
        return outermost(child, LEFT);
    struct node *parent = READ(node->parent);
    for (; READ(parent->child[RIGHT]) == node; parent = READ(node->parent))
        node = parent;
    return READ(node->child[RIGHT]) == parent ? node : parent;
}

/* Before the header comes the last node. */
static struct node *previous(struct node *node)
{
    struct node *parent = READ(node->parent);
    if (colour_of(node) == RED && READ(parent->parent) == node)
        return READ(node->child[RIGHT]);
    struct node *child = READ(node->child[LEFT]);
    if (child)
        return outermost(child, RIGHT);
    for (; READ(parent->child[LEFT]) == node; parent = READ(node->parent))
        node = parent;
    return parent;
}

/* ---- a node more ---- */

static void hang(bool left, struct node *node, struct node *parent, struct node *header)
{
    WRITE(node->parent, parent);
    WRITE(node->child[LEFT], NULL);
    WRITE(node->child[RIGHT], NULL);
    paint(node, RED);
    WRITE(parent->child[left ? LEFT : RIGHT], node);
    if (parent == header) {
        WRITE(header->parent, node);
        WRITE(header->child[RIGHT], node);
    } else if (parent == READ(header->child[left ? LEFT : RIGHT])) {
        WRITE(header->child[left ? LEFT : RIGHT], node);
    }
}

static void insert(bool left, struct node *node, struct node *parent, struct node *header)
{
    hang(left, node, parent, header);
    while (node != READ(header->parent) && colour_of(parent = READ(node->parent)) == RED) {
        struct node *above = READ(parent->parent);
        int side = side_of(parent, above);
        struct node *uncle = READ(above->child[!side]);
        if (!is_black(uncle)) {
            paint(parent, BLACK);
            paint(uncle, BLACK);
            paint(above, RED);
            node = above;
            continue;
        }
        if (side_of(node, parent) != side) {
            rotate(node = parent, side, header);
            parent = READ(node->parent);
        }
        paint(parent, BLACK);
        paint(above, RED);
        rotate(above, !side, header);
    }
    paint(READ(header->parent), BLACK);
}

/* ---- a node less ---- */

/* A node and the child that took its place. The child may be null; its parent is known all the same. */
struct gap {
    struct node *node, *parent;
};

/* One child at most, which takes its place. */
static struct gap take_out(struct node *node, struct node *header)
{
    struct node *left = READ(node->child[LEFT]), *child = left ? left : READ(node->child[RIGHT]);
    struct node *parent = READ(node->parent);
    if (child)
        WRITE(child->parent, parent);
    replace(node, child, header);
    for (int side = LEFT; side <= RIGHT; side++)
        if (READ(header->child[side]) == node)
            WRITE(header->child[side], child ? outermost(child, side) : parent);
    return (struct gap){child, parent};
}

/* Two children: its successor, which has no left child, takes its place and its colour, and gives it its own. */
static struct gap take_out_inner(struct node *node, struct node *header)
{
    struct node *right = READ(node->child[RIGHT]), *left = READ(node->child[LEFT]), *heir = outermost(right, LEFT);
    struct gap gap = {READ(heir->child[RIGHT]), heir};
    WRITE(left->parent, heir);
    WRITE(heir->child[LEFT], left);
    if (heir != right) {
        gap.parent = READ(heir->parent);
        if (gap.node)
            WRITE(gap.node->parent, gap.parent);
        WRITE(gap.parent->child[LEFT], gap.node);
        WRITE(heir->child[RIGHT], right);
        WRITE(right->parent, heir);
    }
    replace(node, heir, header);
    WRITE(heir->parent, READ(node->parent));
    uint32_t colour = colour_of(heir);
    paint(heir, colour_of(node));
    paint(node, colour);
    return gap;
}

/* The way to the gap has one black node too few. */
static void fill(struct gap gap, struct node *header)
{
    while (gap.node != READ(header->parent) && is_black(gap.node)) {
        struct node *parent = gap.parent;
        int side = READ(parent->child[LEFT]) != gap.node;
        struct node *brother = READ(parent->child[!side]);
        if (colour_of(brother) == RED) {
            paint(brother, BLACK);
            paint(parent, RED);
            rotate(parent, side, header);
            brother = READ(parent->child[!side]);
        }
        if (is_black(READ(brother->child[LEFT])) && is_black(READ(brother->child[RIGHT]))) {
            paint(brother, RED);
            gap = (struct gap){parent, READ(parent->parent)};
            continue;
        }
        if (is_black(READ(brother->child[!side]))) {
            paint(READ(brother->child[side]), BLACK);
            paint(brother, RED);
            rotate(brother, !side, header);
            brother = READ(parent->child[!side]);
        }
        paint(brother, colour_of(parent));
        paint(parent, BLACK);
        paint(READ(brother->child[!side]), BLACK);
        rotate(parent, side, header);
        break;
    }
    if (gap.node)
        paint(gap.node, BLACK);
}

static struct node *erase(struct node *node, struct node *header)
{
    bool inner = READ(node->child[LEFT]) && READ(node->child[RIGHT]);
    struct gap gap = inner ? take_out_inner(node, header) : take_out(node, header);
    if (colour_of(node) == BLACK)
        fill(gap, header);
    return node;
}

/* ---- under the names of the library ---- */

/* clang-format off */
#define NAVIGATES(name, symbol, function)                                                                                        \
    struct node *name(struct node *node) WRAPS(symbol);                                                                          \
    struct node *name(struct node *node)                                                                                         \
    {                                                                                                                            \
        ENTER();                                                                                                                 \
        node = function(node);                                                                                                   \
        LEAVE();                                                                                                                 \
        return node;                                                                                                             \
    }
NAVIGATES(increment, "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", next)
NAVIGATES(increment_const, "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", next)
NAVIGATES(decrement, "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", previous)
NAVIGATES(decrement_const, "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", previous)
/* clang-format on */

void insert_and_rebalance(bool left, struct node *node, struct node *parent, struct node *header)
    WRAPS("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
struct node *rebalance_for_erase(struct node *node, struct node *header)
    WRAPS("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");

void insert_and_rebalance(bool left, struct node *node, struct node *parent, struct node *header)
{
    ENTER();
    insert(left, node, parent, header);
    LEAVE();
}

struct node *rebalance_for_erase(struct node *node, struct node *header)
{
    ENTER();
    node = erase(node, header);
    LEAVE();
    return node;
}
