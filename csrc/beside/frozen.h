/* Frozen pages: what a tree has not changed for long is kept from being written by the protection of its pages, where the
 * processor has no key for all of it (key.h). A search behind thousands of steps changes the last few entries of its stack, so
 * the rest need not be summed up before and after every execution. */
#ifndef BPOR_BESIDE_FROZEN_H
#define BPOR_BESIDE_FROZEN_H
#include "protocol/protocol.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FROZEN_TABLES = 32, FROZEN_PAGES = sizeof((struct bpor_search *)0)->stack / 4096 };

struct frozen {
    uint64_t era;    /* of the process that protects them */
    bool begun;      /* the sum that is being made is one at which pages freeze */
    uint32_t seals;  /* since all were thawed */
    uint32_t tables; /* that have such pages */
    struct frozen_table {
        uint32_t first; /* page */
        uint32_t end;   /* behind the last one that was ever frozen */
    } table[FROZEN_TABLES];
    uint8_t mark[FROZEN_PAGES]; /* FROZEN, and how often the page was thawed */
};

/* Thaws all of them: when a tree begins. */
void frozen_forget(void);
/* From here to the end of the sum, the pages of tables freeze, if it is time for that. */
void frozen_begin(void);
void frozen_end(void);
void frozen_take(const void *table, size_t bytes);
/* The first byte from here on of a whole frozen page, or the end; the first one behind such pages. */
const uint8_t *frozen_next(const uint8_t *at, const uint8_t *end);
const uint8_t *frozen_behind(const uint8_t *at, const uint8_t *end);
/* Is it a write to one of them, of whomever? */
bool frozen_was_hit(const siginfo_t *info);
#endif
