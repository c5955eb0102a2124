/* Effects outside memory that are the program's own doing alone. */
#ifndef BPOR_EFFECTS_H
#define BPOR_EFFECTS_H
#include <stdbool.h>

/* Is what this call changes, and what it answers, decided by the program's calls so far? Nobody else has a part in it, nothing
 * comes of it later by itself, and it returns where it was made. */
bool bpor_effect_is_own(long number, const long *argument);
#endif
