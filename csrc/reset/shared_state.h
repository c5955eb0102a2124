/* What the kernel shares between the template and its executions: a fork is no reset for it.
 *
 * At the fork point every mapping and every descriptor is looked at. It is private to an execution; or saved, and put back before
 * each execution but the first; or neither, and then only a process of its own is a fresh start. What is of no known kind is
 * neither. */
#ifndef BPOR_SHARED_STATE_H
#define BPOR_SHARED_STATE_H
#include <stdbool.h>
#include <stddef.h>

/* Each of these returns NULL, or a sentence. */

/* Looks, and saves: what cannot be put back. */
const char *bpor_shared_take(void);
/* What an execution has changed for good. */
const char *bpor_shared_put_back(void);
/* What a child never inherits, so that no execution would have it. */
const char *bpor_shared_lost_by_fork(void);
/* What would reach any process at any time. */
const char *bpor_shared_timers(void);

/* System V shared memory that a process made and left is gone. */
void bpor_shared_remove_segments(int process);

/* Their parts. The words of `bpor_shared_say` last until the next. */
const char *bpor_shared_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *bpor_shared_files_take(void);
const char *bpor_shared_files_put_back(void);
const char *bpor_shared_memory_take(void);
const char *bpor_shared_memory_put_back(void);
#endif
