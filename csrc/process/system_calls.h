/* What is known of system calls by their number (system_calls.def). */
#ifndef BPOR_SYSTEM_CALLS_H
#define BPOR_SYSTEM_CALLS_H
#include <stdbool.h>

enum system_call_property {
    SYSTEM_CALL_NAMED = 0,
    SYSTEM_CALL_HARMLESS = 1, /* it changes nothing that a later execution could see */
    SYSTEM_CALL_ASKS = 2,     /* another process, the clock or the program's own output may change its answer */
    SYSTEM_CALL_ABSENT = 4,   /* it is answered with ENOSYS, as by an older kernel */
    SYSTEM_CALL_REFUSED = 8,  /* it cannot be controlled */
    SYSTEM_CALL_OWN = 16,     /* only the program's own calls decide what it changes outside memory (reset/effects.c) */
    SYSTEM_CALL_CHANNEL = 32, /* it makes a pipe or its like, which ends with its last descriptor (reset/guard_files.c) */
    SYSTEM_CALL_WHO = 64,     /* its first argument is the number of a process or a thread (intercept/numbers.c) */
    SYSTEM_CALL_SECOND_WHO = 128
};

/* "something" for the many that have no row. */
const char *bpor_system_call_name(long number);
bool bpor_system_call_has(long number, enum system_call_property property);
/* Ends the execution if the call is one that is refused. */
void bpor_refuse_system_call(long number);
#endif
