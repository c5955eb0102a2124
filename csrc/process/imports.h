/* Which functions of libc the program's modules import, as far as that decides how threads are modelled. */
#ifndef BPOR_IMPORTS_H
#define BPOR_IMPORTS_H
#include <stdbool.h>

/* Called once, at the fork point. */
void bpor_imports_look(void);
/* Does it end threads by pthread_exit or thrd_exit, perhaps the main one? An interpreter of Python ends only others that way. */
bool bpor_imports_thread_exit(void);
/* Does it join threads that may still run (pthread_tryjoin_np and the timed joins)? */
bool bpor_imports_hasty_joins(void);
/* Does it make timers that are descriptors? */
bool bpor_imports_timers(void);
/* May several threads call exit at once: does a module that is not the system's ask for it, or for others that may? Known from
 * the start. */
bool bpor_imports_exit(void);
#endif
