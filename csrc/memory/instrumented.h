/* What has to be set up, and reported to the controller, when a process contains instrumented code. */
#ifndef BPOR_INSTRUMENTED_H
#define BPOR_INSTRUMENTED_H
#include <stdbool.h>
#include <stdint.h>

/* The process is ours now: reserves what instrumented code needs, if there is any. */
void bpor_instrumented_claim(void);
/* A module without the stub (built by others with -fsanitize=thread) made its first call, at this address. */
void bpor_instrumented_around(const void *address);
/* The machine code of a module was patched, so that it tells its accesses. */
void bpor_instrumented_patched(uintptr_t start, uintptr_t end);
/* Is this code that tells its accesses? */
bool bpor_instrumented_code(const void *site);
/* Is it code of the same module as that? */
bool bpor_instrumented_beside(const void *site, const void *other);
/* A module with the stub inside attached; any address in it. */
void bpor_instrumented_module(const void *address);
#endif
