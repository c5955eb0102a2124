/* Effects outside memory that are the program's own doing alone. */
#ifndef BPOR_EFFECTS_H
#define BPOR_EFFECTS_H
#include <stdbool.h>

/* Do the program's own calls alone decide what this call changes and returns? That is so if no other process takes part in it, if
 * it has no later effect by itself, and if it returns to its caller. */
bool bpor_effect_is_own(long number, const long *argument);
#endif
