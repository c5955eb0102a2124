/* A state in which nobody can go on: see standstill.c. */
#ifndef BPOR_STANDSTILL_H
#define BPOR_STANDSTILL_H

/* Ends the execution: it is a deadlock, unless somebody outside of the process might end it. */
void __attribute__((noreturn)) bpor_standstill(void);
#endif
