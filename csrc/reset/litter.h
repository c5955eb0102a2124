/* What executions leave outside memory while nobody but the template looks: output and temporary files. */
#ifndef BPOR_LITTER_H
#define BPOR_LITTER_H
#include <stdbool.h>

/* Forgets what was printed: nobody will ask for the output of these executions. */
void bpor_litter_drop_output(void);
/* Is there anything in the directory for temporary files? */
bool bpor_litter_left(void);
#endif
