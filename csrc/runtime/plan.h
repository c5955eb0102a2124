/* The plan of the next execution, as it came from the controller. */
#ifndef BPOR_PLAN_H
#define BPOR_PLAN_H
#include "engine/plan.h"
#include <stdbool.h>

void bpor_plan_reserve(void);
/* Waits for the next execution that is wanted: by the controller, or by the search beside the program. False when there is
 * nothing more to do. */
bool bpor_plan_next(void);
/* That execution is over, and everything is put back: tells whoever wanted it. */
void bpor_plan_done(void);
/* One that nobody sent: no prefix, no events, and no thread may go round in circles for ever. */
void bpor_plan_first_schedule(void);
/* Does the plan that was read last have this flag? */
bool bpor_plan_has(uint32_t flag);
/* The plan itself. */
const struct bpor_plan *bpor_plan_received(const uint16_t **prefix);
bool bpor_plan_asks_for_states(void);
/* Makes it the plan of the execution that begins. */
void bpor_plan_unpack(void);
#endif
