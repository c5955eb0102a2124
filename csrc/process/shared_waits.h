/* Threads that wait for what another process may do. */
#ifndef BPOR_SHARED_WAITS_H
#define BPOR_SHARED_WAITS_H
#include <stdbool.h>

/* Does one wait at an object in memory that another process of the program may share? */
bool bpor_waits_for_other_process(void);
#endif
