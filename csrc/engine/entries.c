#include "engine/entries.h"
#include <string.h>

void entries_forget(struct entries *entries)
{
    if (entries->entries)
        memset(entries->slot, 0, sizeof entries->slot);
    entries->entries = entries->groups = 0;
}

bool entries_are_full(const struct entries *entries)
{
    return entries->entries == MAX_ENTRIES || entries->groups == MAX_GROUPS;
}

void entries_add(struct entries *entries, struct entry entry)
{
    uint32_t *slot = &entries->slot[entries_slot(entry.node)];
    entry.next = *slot;
    entry.check = entry_check(&entry);
    entries->entry[++entries->entries] = entry;
    *slot = entries->entries;
}

static uint32_t found(struct entries *entries, uint32_t number)
{
    uint32_t last = number;
    while (entries->group[last].into)
        last = entries->group[last].into;
    for (uint32_t next; number != last; number = next) {
        next = entries->group[number].into;
        entries->group[number].into = last;
    }
    return last;
}

struct group *entries_group(struct entries *entries, uint32_t number)
{
    return number ? &entries->group[found(entries, number)] : NULL;
}

uint32_t entries_join(struct entries *entries, uint32_t one, uint32_t other, uint32_t frame)
{
    one = one ? found(entries, one) : 0;
    other = other ? found(entries, other) : 0;
    if (one && other && one != other)
        entries->group[other].into = one;
    one = one ? one : other;
    if (one)
        entries->group[one].frame = frame;
    return one;
}

uint32_t entries_new_group(struct entries *entries, uint32_t frame)
{
    entries->group[++entries->groups] = (struct group){.frame = frame};
    return entries->groups;
}
