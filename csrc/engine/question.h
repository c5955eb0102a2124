/* What a thread sees when it asks whether it can go on: see question.c. */
#ifndef BPOR_QUESTION_H
#define BPOR_QUESTION_H
#include "engine/tree.h"

struct sight {
    uint64_t written; /* by which event */
    uint64_t read;    /* by which since then: their sum */
    struct holding holding;
};

/* What a thread sees: in the state at the top of the history, or in another one that the same steps make. */
struct view {
    const struct tree *tree;
    const void *state;
    struct sight (*sight)(const struct view *view, uint32_t cell);
    uint64_t (*past)(const struct view *view, unsigned thread); /* its last event, or the one that created it */
    bool (*ended)(const struct view *view, unsigned thread);
};

uint64_t question(const struct view *view, unsigned thread, const struct announced *operation);
uint64_t history_question(const struct tree *tree, unsigned thread);
#endif
