/* What to make of a state in which nobody can go on: see standstill.c. */
#ifndef BPOR_STANDSTILL_H
#define BPOR_STANDSTILL_H

/* A thread waits for a signal that no thread sends. What somebody outside might send would end that wait, and then perhaps all of
 * them; but not those of threads that wait for each other. */
void bpor_refuse_if_a_signal_might_come(void);
#endif
