/* Memory that is mapped at two addresses: a write through one is visible through the other. */
#ifndef BPOR_ALIASES_H
#define BPOR_ALIASES_H

/* Once where control begins, and after each shared mapping that is made under control. */
void bpor_aliases_look(void);
/* A thread is about to be made: with two threads, one place that has two names cannot be followed. */
void bpor_aliases_refuse(void);
#endif
