/* What the program's modules ask of libc, as far as it decides how threads are modelled. */
#ifndef BPOR_IMPORTS_H
#define BPOR_IMPORTS_H
#include <stdbool.h>

/* Called once, at the fork point. */
void bpor_imports_look(void);
/* Does it join threads that may still run (pthread_tryjoin_np and the timed joins)? */
bool bpor_imports_hasty_joins(void);
#endif
