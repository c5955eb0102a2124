/* Beginning and end of control over a process. */
#ifndef BPOR_START_H
#define BPOR_START_H
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stdint.h>

/* Takes control of the process if it is the one; the first call counts. */
void bpor_look_for_controller(void);
void bpor_fork_point(enum bpor_fork_at where);
/* Takes control of this process for a controller that gives it the descriptors itself. */
/* Where the stack of the process begins: all of it lies below. */
uintptr_t bpor_stack_begin(void);
bool bpor_adopt(int shared_fd, int plan_fd, int event_fd);
/* A copy of this process that was made before the fork point: its threads are its own business. */
void bpor_leave_alone(void);
/* The fork point is here, whatever was asked for. */
void bpor_fork_here(void);
/* So many threads may call exit() at once. */
enum { BPOR_THREADS_AT_EXIT = 8 };
/* The exit handlers are done: flush, announce the end of the process, end. */
void bpor_finish_process(void);
/* Have the exit handlers been called, so that one that is registered now never will be? */
bool bpor_exit_functions_done(void);
/* Remembers the status given to exit(), which the last handler needs. */
void bpor_exit_status(int status);
/* The handlers that are registered by now are about to be called. */
void bpor_exit_begins(const void *site);
#endif
