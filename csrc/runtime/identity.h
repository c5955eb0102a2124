/* Which state is this? Two states of one search with the same identity go on alike under the same schedule. */
#ifndef BPOR_IDENTITY_H
#define BPOR_IDENTITY_H
#include "runtime/digest.h"

/* Of the present scheduling state. Returns why it has none, or NULL. */
const char *bpor_identify(struct digest *identity);
#endif
