/* All code that was ever loaded into the process. The verdict needs it: it must not claim anything about code that was not
 * examined. */
#ifndef BPOR_LOADED_H
#define BPOR_LOADED_H

/* At the fork point, and at the end of every execution: lists the modules that are new (shared->loaded). */
void bpor_loaded_note(void);

/* At the end of a search's first execution: code that the program made itself (shared->made_code). */
void bpor_loaded_look_for_made_code(void);
#endif
