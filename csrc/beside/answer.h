/* The answer to an order: why the batch ends, and what has to be asked before the search can go on. */
#ifndef BPOR_ANSWER_H
#define BPOR_ANSWER_H
#include "engine/tree.h"

void answer_stop(enum bpor_answer_stop why);
/* The program has written over the search: nothing it says can be believed. */
void answer_damaged(void);
/* The tree cannot go on. */
void answer_complain(const struct tree *tree);
/* The controller is asked for names, or for what was put on the shelf. */
void answer_ask_names(struct tree *tree);
void answer_ask_shelf(struct open *open);
/* The tree whose turn it was has had it. An execution counts, and so do many runs that needed none: walking takes time too. A
 * tree that had nothing to do here, because others have its parts, is not owed those turns later: the other would have to wait
 * for them. */
void answer_count_turn(void);
#endif
