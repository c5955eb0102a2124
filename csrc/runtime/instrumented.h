/* Instrumented code is in the process: what that takes and what the controller is told. */
#ifndef BPOR_INSTRUMENTED_H
#define BPOR_INSTRUMENTED_H
#include <stdbool.h>

/* The process is ours now: reserves what instrumented code needs, if there is any. */
void bpor_instrumented_claim(void);
/* A module without the stub (built by others with -fsanitize=thread) made its first call, at this address. */
void bpor_instrumented_around(const void *address);
/* Is this code that tells its accesses? */
bool bpor_instrumented_code(const void *site);
/* A module with the stub inside attached; any address in it. */
void bpor_instrumented_module(const void *address);
#endif
