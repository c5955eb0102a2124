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
/* An execution begins: nothing of ours runs between this and its first instruction. */
void bpor_pages_begin(void);
/* Puts back what was written since. Returns why not, or NULL. */
const char *bpor_pages_restore(void);
#endif
