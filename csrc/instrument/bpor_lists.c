/* std::__detail::_List_node_base: rings of nodes in both directions, each list with a node of its own that holds no value. */
#include "instrument/told.h"

struct node {
    struct node *next, *previous;
};

void hook(struct node *node, struct node *before) WRAPS("_ZNSt8__detail15_List_node_base7_M_hookEPS0_");
void unhook(struct node *node) WRAPS("_ZNSt8__detail15_List_node_base9_M_unhookEv");
void transfer(struct node *before, struct node *first, struct node *end)
    WRAPS("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_");
void reverse(struct node *node) WRAPS("_ZNSt8__detail15_List_node_base10_M_reverseEv");
void swap(struct node *one, struct node *other) WRAPS("_ZNSt8__detail15_List_node_base4swapERS0_S1_");

static void join(struct node *one, struct node *next)
{
    WRITE(one->next, next);
    WRITE(next->previous, one);
}

void hook(struct node *node, struct node *before)
{
    ENTER();
    struct node *previous = READ(before->previous);
    join(node, before);
    join(previous, node);
    LEAVE();
}

void unhook(struct node *node)
{
    ENTER();
    struct node *next = READ(node->next);
    join(READ(node->previous), next);
    LEAVE();
}

void transfer(struct node *before, struct node *first, struct node *end)
{
    ENTER();
    if (before != end) {
        struct node *last = READ(end->previous), *previous = READ(before->previous);
        join(READ(first->previous), end);
        join(last, before);
        join(previous, first);
    }
    LEAVE();
}

void reverse(struct node *node)
{
    ENTER();
    struct node *at = node;
    do {
        struct node *next = READ(at->next);
        WRITE(at->next, READ(at->previous));
        WRITE(at->previous, next);
        at = next;
    } while (at != node);
    LEAVE();
}

/* The nodes between `first` and `last` get this one as theirs; there are none if `first` is the old one. */
static void adopt(struct node *node, struct node *first, struct node *last, const struct node *old)
{
    if (first == old) {
        join(node, node);
    } else {
        join(node, first);
        join(last, node);
    }
}

void swap(struct node *one, struct node *other)
{
    ENTER();
    struct node *first = READ(one->next), *last = READ(one->previous);
    struct node *other_first = READ(other->next), *other_last = READ(other->previous);
    adopt(one, other_first, other_last, other);
    adopt(other, first, last, one);
    LEAVE();
}
