/* Beginning and end of control over a process. */
#ifndef BPOR_START_H
#define BPOR_START_H
#include "protocol/protocol.h"

/* Set by the launcher: "shared,plan,events", three descriptors. */
#define BPOR_ENVIRONMENT "BPOR_NATIVE_DESCRIPTORS"

/* Takes control of the process if it is the one; the first call counts. */
void bpor_look_for_controller(void);
void bpor_fork_point(enum bpor_fork_at where);
/* The exit handlers are done: flush, announce the end of the process, end. */
void bpor_finish_process(void);
/* Remembers the status given to exit(), which the last handler needs. */
void bpor_exit_status(int status);
#endif
