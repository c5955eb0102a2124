/* The plan of the next execution, as it came from the controller. */
#ifndef BPOR_PLAN_H
#define BPOR_PLAN_H
#include <stdbool.h>
#include <stdint.h>

void bpor_plan_reserve(void);
/* Waits for a plan. False when there is nothing more to do. */
bool bpor_plan_read(void);
/* Does the plan that was read last have this flag? */
bool bpor_plan_has(uint32_t flag);
/* Makes it the plan of the execution that begins. */
void bpor_plan_unpack(void);
#endif
