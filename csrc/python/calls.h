/* What an extension does to the interpreter's objects by calling the interpreter. */
#ifndef BPOR_CALLS_H
#define BPOR_CALLS_H

/* At the fork point: instrumented modules reach the interpreter's objects through us from now on. */
void bpor_calls_watch(void);
#endif
