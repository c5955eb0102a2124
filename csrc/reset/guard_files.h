/* Files, as the guard of rollback sees them: one that an execution opens to read, and a pipe or its like that it makes, is closed
 * again when the execution is undone, and what goes to the files behind stdout and stderr is captured, whatever descriptor leads
 * there. */
#ifndef BPOR_GUARD_FILES_H
#define BPOR_GUARD_FILES_H
#include "state/digest.h"
#include <stdbool.h>

void bpor_guard_files_reserve(void);
bool bpor_guard_is_output(int fd);
/* Is it a device that forgets what is written to it? */
bool bpor_guard_is_nowhere(int fd);
/* May the call be made? Opening a regular file or a directory to read it, and what is then done with it; making a channel. */
bool bpor_guard_allows_file(long number, const long *argument);
/* The same, of a call on a channel, which the runtime makes for the program. */
bool bpor_guard_allows_on_channel(long number, const long *argument);
/* Has the execution made channels? */
bool bpor_guard_makes_channels(void);
/* The call was made. */
void bpor_guard_file_called(long number, const long *argument, long result);
/* Closes what the execution left open. */
void bpor_guard_files_close(void);
/* Did it leave any open, so far? */
bool bpor_guard_files_open(void);
/* Which files are open, and how far each was read. */
void bpor_guard_files_digest(struct digest *set);
#endif
