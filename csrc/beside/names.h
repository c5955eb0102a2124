/* Names, for best-first search: only the controller can tell which objects and call stacks have the names that the user gave. */
#ifndef BPOR_NAMES_H
#define BPOR_NAMES_H
#include "engine/tree.h"

/* An operation is in this stack of calls. */
void names_called(uint64_t stack, const uint64_t *frame, unsigned frames);
/* Writes down what has to be named before the search can go on. */
void names_ask(struct tree *tree);
/* What the controller has answered. */
void names_take(struct tree *tree);
#endif
