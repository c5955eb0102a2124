/* Entries: nodes whose futures are known. An entry only saves work, so forgetting one is sound at any time; only the nodes of the
 * current stack must be kept, and those are elsewhere (matching.h).
 *
 * Entries of a component that is still being explored are *open*: what lies below them is not known yet, but it reaches back to a
 * frame of the stack. They belong to a group, which moves up with the frames that are left and closes with the lowest one that
 * they reach. What a program wrote over is forgotten: entries and closed groups prove themselves, by a checksum. */
#ifndef BPOR_ENGINE_ENTRIES_H
#define BPOR_ENGINE_ENTRIES_H
#include "engine/identity.h"

enum { MAX_ENTRIES = 1 << 20, ENTRY_SLOTS = 1 << 19, MAX_GROUPS = 1 << 18 };

struct entry {
    struct identity node;
    uint64_t cross; /* threads to be tried, conservatively, at the start of a block that runs on through the node */
    uint32_t used;  /* preemptions */
    uint32_t sleep; /* set: who slept and was not tried, with what would have woken it (futures.c) */
    uint32_t summary;
    uint32_t group; /* 0: none */
    uint32_t next;
    bool exceeded;
    uint64_t check;
};

struct entries {
    uint32_t entries; /* numbered from 1 */
    uint32_t groups;
    uint32_t slot[ENTRY_SLOTS];
    struct entry entry[MAX_ENTRIES + 1];
    struct group {
        uint64_t cross;
        uint32_t frame; /* where they are anchored */
        uint32_t into;  /* another one; 0: it was not merged */
        uint32_t summary;
        bool closed;
        bool exceeded;
        uint64_t check; /* once it is closed */
    } group[MAX_GROUPS + 1];
};

static inline uint32_t entries_slot(struct identity node)
{
    return (uint32_t)(bpor_mix(node.low, node.high) >> 20) % ENTRY_SLOTS;
}

/* Runs its body for each entry of a node. */
#define EACH_ENTRY(entries, wanted, name)                                                                                        \
    for (struct entry *name = &(entries)->entry[(entries)->slot[entries_slot(wanted)]]; name != (entries)->entry;                \
         name = &(entries)->entry[name->next])                                                                                   \
        if (identity_equals(name->node, wanted))

static inline uint64_t entry_check(const struct entry *entry)
{
    uint64_t check = bpor_mix(bpor_mix(entry->node.low, entry->node.high), entry->cross);
    check = bpor_mix(bpor_mix(bpor_mix(check, entry->used), entry->sleep), entry->summary);
    return bpor_mix(bpor_mix(check, entry->group), entry->exceeded);
}

static inline uint64_t group_check(const struct group *group)
{
    return bpor_mix(bpor_mix(group->cross, group->summary), group->exceeded);
}

void entries_forget(struct entries *entries);
bool entries_are_full(const struct entries *entries);
void entries_add(struct entries *entries, struct entry entry);
/* NULL: it belongs to none. */
struct group *entries_group(struct entries *entries, uint32_t number);
/* The group of what is anchored at `frame` from now on: both. 0: there is none. */
uint32_t entries_join(struct entries *entries, uint32_t one, uint32_t other, uint32_t frame);
uint32_t entries_new_group(struct entries *entries, uint32_t frame);
#endif
