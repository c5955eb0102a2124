/* What code was ever in the process, for the verdict: it must not speak for what nobody looked at. */
#ifndef BPOR_LOADED_H
#define BPOR_LOADED_H

/* At the fork point, and at the end of every execution: lists the modules that are new (shared->loaded). */
void bpor_loaded_note(void);

/* At the end of a search's first execution: code that the program made itself (shared->made_code). */
void bpor_loaded_look_for_made_code(void);
#endif
