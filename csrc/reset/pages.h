/* The target's writable memory: what it was at the fork point, what has changed since, and putting it back. */
#ifndef BPOR_PAGES_H
#define BPOR_PAGES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Remembers every present writable page but those that are kept (reserve.h). Returns why not, or NULL. */
const char *bpor_pages_remember(void);
/* Does the kernel tell which pages were written? */
bool bpor_pages_tracked(void);
/* What was written so far is known from now on. Returns why not, or NULL. */
const char *bpor_pages_look(void);
/* In a child of the process that remembers them: what it writes is told from now on. Returns why not, or NULL. */
const char *bpor_pages_inherit(void);
/* Visits every page that may differ from what it was at the fork point (NULL: zeros), but none of the runtime's own tables.
 * Returns why not, or NULL. */
typedef void page_visit(uintptr_t page, const uint8_t *before, void *data);
const char *bpor_pages_each_written(page_visit *visit, void *data);
/* Of the pages that are known to have been written by some execution, visits those that differ now, the runtime's own tables
 * included: which of its lines do (page.h). What this execution is the first to write shows in bpor_pages_found_new. */
typedef void lines_visit(uintptr_t page, uint64_t lines, void *data);
void bpor_pages_each_difference(lines_visit *visit, void *data);
/* Did the last execution that was put back write pages that were not known before? */
bool bpor_pages_found_new(void);
/* Visits what every page was that was there at the fork point. */
void bpor_pages_each_remembered(page_visit *visit, void *data);
/* How many pages were written. */
unsigned bpor_pages_written(void);
/* Visits the present pages of memory that was not there at the fork point. */
const char *bpor_pages_each_present(uintptr_t start, uintptr_t end, page_visit *visit, void *data);
/* Makes the present pages of such memory zero, and counts them. */
unsigned bpor_pages_wipe(uintptr_t start, uintptr_t end);
/* Puts back what was written since. Returns why not, or NULL. */
const char *bpor_pages_restore(void);
#endif
