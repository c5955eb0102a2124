/* States of executions that are reset by fork: each is a child of the template, and states of all of them are compared. */
#ifndef BPOR_FORKED_H
#define BPOR_FORKED_H

/* In the template, before it forks an execution. */
void bpor_forked_prepare(void);
/* In the child, first of all. */
void bpor_forked_born(void);
/* In the child, where the program goes on. */
void bpor_forked_begin(void);
#endif
