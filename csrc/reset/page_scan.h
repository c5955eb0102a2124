/* What the kernel tells of pages: which are there, and which were written. */
#ifndef BPOR_PAGE_SCAN_H
#define BPOR_PAGE_SCAN_H
#include <stdbool.h>
#include <stdint.h>

/* Why not, or NULL: goes on with the next page. */
typedef const char *scan_visit(uintptr_t page, void *data);

/* Why it cannot be told, or NULL. */
const char *bpor_scan_reserve(void);
/* The same in a child of the process that reserved it. */
const char *bpor_scan_renew(void);
/* Asks to be told of writes. False: the kernel does not want to. */
bool bpor_scan_begin_tracking(void);
/* A page of this memory counts as written, unless it was protected and not written since. False: it cannot be told of this one.
 */
bool bpor_scan_register(uintptr_t start, uintptr_t end);
/* From here on. */
bool bpor_scan_protect(uintptr_t start, uintptr_t end);
void bpor_scan_unregister(uintptr_t start, uintptr_t end);
void bpor_scan_end_tracking(void);
/* Each visits whole pages, and none that must not be touched. Returns what kept it from visiting them all, or NULL. */
const char *bpor_scan_present(uintptr_t start, uintptr_t end, scan_visit *visit, void *data);
const char *bpor_scan_written(uintptr_t start, uintptr_t end, scan_visit *visit, void *data);
#endif
