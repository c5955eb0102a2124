/* Names of system calls, for reasons that a person reads. */
#ifndef BPOR_SYSTEM_CALLS_H
#define BPOR_SYSTEM_CALLS_H

/* "something" for the many that no test has met. */
const char *bpor_system_call_name(long number);
#endif
