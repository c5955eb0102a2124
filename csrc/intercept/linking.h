/* Refuses an execution of a program that put code out of our sight before its fork point. */
#ifndef BPOR_LINKING_H
#define BPOR_LINKING_H
void bpor_linking_begin_execution(void);
#endif
