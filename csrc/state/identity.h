/* The identity of a state: two states of one search with the same identity behave alike under the same schedule. */
#ifndef BPOR_IDENTITY_H
#define BPOR_IDENTITY_H
#include "state/digest.h"
#include <stdbool.h>
#include <stdint.h>

void bpor_identity_reserve(void);
/* Of the present scheduling state. Returns why it has none, or NULL. */
const char *bpor_identify(struct digest *identity);
/* What an identity is made of: every live word that is not what it was at the fork point, those of a thread's registers and the
 * like under its number, and the rest. Returns why the state has no identity, or NULL. */
typedef void word_visit(uintptr_t address, uint64_t value, unsigned thread, void *data);
const char *bpor_state_each_word(word_visit *visit, void *data);
void bpor_state_beyond_words(struct digest *set);
/* Of the state whose words were just visited: does nobody look at this byte before it is written? */
bool bpor_state_is_dead(uintptr_t address);
#endif
