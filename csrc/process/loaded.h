/* All code that was ever loaded into the process. The verdict needs it: it must not claim anything about code that was not
 * examined. */
#ifndef BPOR_LOADED_H
#define BPOR_LOADED_H

/* At the fork point, and at the end of every execution: lists the modules that are new (shared->loaded). */
void bpor_loaded_note(void);

/* Code that the program makes itself, or maps (shared->made_code): as it asks for executable memory, since nothing of that may be
 * left in the end; and what there is at the end of a search's first execution, whoever asked for it. */
void bpor_loaded_made_code(void);
void bpor_loaded_look_for_made_code(void);
#endif
