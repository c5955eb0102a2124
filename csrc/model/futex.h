/* One futex call, on the stack of the thread that makes it: what intercept/futex.c asks and model/futex.c answers. */
#ifndef BPOR_FUTEX_H
#define BPOR_FUTEX_H
#include "runtime/objects.h"

struct futex_call {
    uint32_t *word;
    uint32_t *second_word;
    struct object *queue;  /* where it waits now, which a requeue may change */
    struct object *origin; /* where it began to wait */
    struct object *second_queue;
    uint32_t bits;
    uint32_t expected;
    uint32_t encoded; /* WAKE_OP's operation and comparison */
    int wake;
    int second;    /* how many to wake or to move at the second queue */
    bool compares; /* CMP_REQUEUE */
    int answer;
};
#endif
