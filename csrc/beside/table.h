/* The table of known steps (engine/known.h) is one for all trees of a search. */
#ifndef BPOR_TABLE_H
#define BPOR_TABLE_H
#include "engine/known.h"

/* The table, where this tree may have used it; else NULL. */
struct known *table_of(const struct tree *tree);
/* The table, where the tree of this number uses it now; else NULL. */
struct known *table_for(unsigned number);
/* The table was wrong at a step, and so may be every stack that was built with it: those trees begin anew, without it. `site`: of
 * the operation that shows it, or 0. */
void table_was_wrong(uint32_t where, uint64_t site);
#endif
