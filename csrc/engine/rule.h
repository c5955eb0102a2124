/* What a bound decides, and who sleeps: the rules of the search, each behind its own file. Included by tree.h. */
#ifndef BPOR_ENGINE_RULE_H
#define BPOR_ENGINE_RULE_H
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stdint.h>

struct tree;
struct frame;
struct pushed;
struct announced;
struct told_step;

/* causal.c */
void causal_note(struct tree *tree, struct pushed *step, const struct announced *operation, bool cuts, bool ends);
bool causal_within(const struct tree *tree, unsigned thread);

/* watch.c */
uint32_t watch_new(struct tree *tree);
void watch_free(struct tree *tree, uint32_t watch);
void watch_merge(struct tree *tree, uint32_t into, uint32_t from);
uint32_t watch_put(struct tree *tree, uint32_t watch, uint32_t touch);
void watch_add(struct tree *tree, uint32_t watch, uint32_t touch);
bool watch_conflicts(const struct tree *tree, uint32_t watch, const uint32_t *touch, unsigned count);

/* sleep.c */
void sleep_push(struct tree *tree, struct frame *before, const struct told_step *step, struct frame *frame);
void sleep_cut(struct tree *tree);
void sleep_again(struct tree *tree, const struct frame *before, struct frame *frame, uint64_t asleep);
void sleep_go_on(struct tree *tree, struct frame *frame);
void sleep_fall_asleep(struct tree *tree, struct frame *frame, unsigned thread);
void sleep_plan(const struct tree *tree, const struct frame *frame, unsigned thread);
void sleep_plan_given(const struct tree *tree);
void sleep_forget(struct tree *tree, struct frame *frame);

/* runahead.c */
void rule_enter(struct tree *tree, struct frame *frame, const struct frame *before, const struct told_step *step);
bool rule_refuses(const struct tree *tree, const struct frame *frame, unsigned thread);
bool rule_allows(const struct tree *tree, const struct frame *frame, unsigned thread);
void rule_initial(struct tree *tree, struct frame *frame, unsigned chosen);
bool rule_sleeps_beside(const struct tree *tree, const struct frame *frame, unsigned sleeper, unsigned thread);
uint64_t rule_asleep(const struct frame *frame);
void rule_add(struct tree *tree, uint32_t index, unsigned thread, bool conservative);
void rule_backtrack(struct tree *tree, uint32_t index, unsigned thread);
bool rule_is_idle(const struct tree *tree, uint64_t ready, uint64_t waiters);
bool rule_refuses_somebody(const struct tree *tree, const struct frame *frame);
unsigned rule_initialize(const struct tree *tree, const struct frame *frame);
uint32_t rule_cost(const struct tree *tree, const struct frame *frame, unsigned thread);
bool rule_may_be_idle_soon(const struct tree *tree, const struct frame *frame);
bool rule_blocks_somebody(const struct tree *tree, uint64_t enabled);
bool rule_strands(const struct tree *tree);
enum bpor_outcome rule_why_nobody(const struct tree *tree, const struct frame *frame);
void rule_enabled_by(struct tree *tree, uint32_t index, const struct told_step *step);
#endif
