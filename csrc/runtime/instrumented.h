/* Instrumented code is in the process: what that takes and what the controller is told. */
#ifndef BPOR_INSTRUMENTED_H
#define BPOR_INSTRUMENTED_H

/* The process is ours now: reserves what instrumented code needs, if there is any. */
void bpor_instrumented_claim(void);
/* A module without the stub (built by others with -fsanitize=thread) made its first call. */
void bpor_instrumented_found(void);
/* A module with the stub inside attached; any address in it. */
void bpor_instrumented_module(const void *address);
#endif
