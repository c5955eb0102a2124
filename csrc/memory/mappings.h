/* Memory that the program maps and unmaps. Different mappings may have the same addresses, one after the other. */
#ifndef BPOR_MAPPINGS_H
#define BPOR_MAPPINGS_H
#include <stddef.h>
#include <stdint.h>

struct allocation;
struct digest;

/* About to be unmapped: a write of all of it. Where synchronisation objects or atomics live in it, it is an operation. */
void bpor_mapping_ends(uintptr_t start, size_t bytes, const void *site);
/* Nobody has accessed it. */
void bpor_mapping_begins(uintptr_t start, size_t bytes, const void *site);
/* The one that an address lies in, if it was made under control; or NULL. */
const struct allocation *bpor_mapping_find(uintptr_t address);
/* What they are called. */
void bpor_mappings_digest(struct digest *set);
void bpor_mappings_reserve(void);
#endif
