/* Replays under a debugger. */
#ifndef BPOR_DEBUGGER_H
#define BPOR_DEBUGGER_H

/* Waits until the debugger has attached and said where to stop first. */
void bpor_debugger_wait(void);
/* Called before each step, and before the process ends. */
void bpor_debugger_before_step(void);
void bpor_debugger_before_end(void);
#endif
