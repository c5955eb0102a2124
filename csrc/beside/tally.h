/* Counts of executions by how they ended, and of what was distinct. */
#ifndef BPOR_TALLY_H
#define BPOR_TALLY_H
#include "protocol/protocol.h"
#include <stdbool.h>

void distinct_begin(struct bpor_distinct *distinct);
/* False: it is known that it was added before. */
bool distinct_add(struct bpor_distinct *distinct, uint64_t value, uint64_t cap);

void tally_begin(struct bpor_tally *tally);
/* One execution is over. `how`: index of ended[]. */
void tally_ended(struct bpor_tally *tally, unsigned how, uint64_t trace_hash, uint64_t new_steps, const struct bpor_end *end,
                 uint64_t cap);
/* How an execution ended, as an index of ended[]; a child that died without a word is judged by its wait status. */
unsigned tally_index(const struct bpor_end *end);
/* Did it end by itself: passed, or a bug? */
bool tally_is_complete(unsigned how);
bool tally_is_bug(unsigned how);
#endif
