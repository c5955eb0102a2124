/* The functions that the runner of the program provides. The engine describes the next execution through the first three. */
#ifndef BPOR_ENGINE_PLAN_H
#define BPOR_ENGINE_PLAN_H
#include "protocol/protocol.h"
#include <stdbool.h>

/* The prefix is not copied; sleepers follow one by one, each with its accesses. */
void bpor_plan_set(const struct bpor_plan *plan, const uint16_t *prefix);
void bpor_plan_add_sleeper(unsigned thread, uint32_t accesses);
void bpor_plan_add_access(struct bpor_access access);
/* A run went along known steps alone. `whole`: to the end of a trace that some execution has shown. */
void bpor_plan_walked(struct bpor_tree_facts *facts, bool whole, uint64_t trace_hash);
#endif
