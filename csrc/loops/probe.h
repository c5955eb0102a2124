/* A probe: one execution under a round-robin scheduler that looks for a state that repeats. */
#ifndef BPOR_PROBE_H
#define BPOR_PROBE_H

void bpor_probe_reserve(void);
/* Who runs next. Ends the execution if this state was met before with the same turn. */
unsigned bpor_probe_choose(void);
#endif
