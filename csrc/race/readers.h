/* Lists of readers of a byte that are not ordered with each other. A list is immutable, so bytes with equal history share one. A
 * list that no byte refers to any more is removed when the table is full. */
#ifndef BPOR_RACE_READERS_H
#define BPOR_RACE_READERS_H
#include "race/race.h"

struct reader {
    epoch when;
    uint32_t stack;
    uint32_t next; /* index, less than its own; 0: the last */
};

extern struct reader
    *bpor_readers; /* the first is none: its `next` tells how many there are, which is no part of a state (identity.c) */

void bpor_readers_reserve(void);
/* For whatever one access adds for one byte. Lists may have other numbers afterwards, in all cells. */
void bpor_readers_make_room(void);
/* In front of a list; the index of the new one. */
uint32_t bpor_reader_new(epoch when, uint32_t stack, uint32_t next);

static inline const struct reader *readers_next(const struct reader *reader)
{
    return reader->next ? &bpor_readers[reader->next] : NULL;
}

/* Of a cell whose tag is TAG_LIST. */
static inline const struct reader *readers_first(epoch list)
{
    return &bpor_readers[epoch_clock(list)];
}
#endif
