/* What of the past decides whether a later access races, as a part of a state's identity. */
#ifndef BPOR_RACE_STATE_H
#define BPOR_RACE_STATE_H
#include "race/race.h"
#include "state/digest.h"

void bpor_race_state_reserve(void);
/* Returns why it cannot be told, or NULL. */
const char *bpor_race_state_digest(struct digest *set);

/* order.c: every clock that some access may be compared with from now on; `key` names it, whatever it was met for. */
typedef void clock_visit(uint64_t key, const struct clock *clock);
void bpor_race_each_clock(clock_visit *visit);
/* locations.c: likewise of atomic locations; and those that remember accesses. */
void bpor_locations_each_clock(clock_visit *released, clock_visit *accesses);
/* shadow.c: the epochs of a cell. */
void bpor_race_each_reader(epoch read, void (*visit)(epoch when, void *data), void *data);
/* heap.c: large blocks have no cells that say who allocated them. */
void bpor_heap_each_born(void (*visit)(epoch when));
void bpor_heap_born_digest(struct digest *set, uint64_t (*meaning_of)(epoch when));
/* quarantine.c: freed blocks, oldest first. */
void bpor_quarantine_digest(struct digest *set);
#endif
