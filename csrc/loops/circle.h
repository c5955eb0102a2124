/* Does a thread that yields, sleeps, fails or reads the clock go round in a loop, waiting for another thread? */
#ifndef BPOR_CIRCLE_H
#define BPOR_CIRCLE_H
#include "runtime/runtime.h"

enum visit {
    VISIT_FIRST, /* the thread was never at this place, or came to it another way: straight-line code */
    VISIT_NEWS,  /* it was; something differs, but others have run since and may have made the difference */
    VISIT_SAME,  /* it was, and nothing that it did since has changed anything: it goes round in circles */
    VISIT_MOVED  /* it was, nobody else has run since, and something differs: it gets on with something */
};

/* What a place is told apart by, beside the call site and the calls around it. */
enum circle_look {
    LOOK_AT_FRAME, /* registers and the innermost frames of the program count: a loop that counts its rounds gets on */
    LOOK_AT_CALLS  /* they do not: a time that was read differs in every round */
};

void bpor_circle_reserve(void);
/* What of a thread's past decides which of its steps will be yields. */
struct digest;
void bpor_circle_digest(const struct thread *thread, struct digest *set);
enum visit bpor_circle_visit(struct thread *thread, uint64_t site, uint64_t what, enum circle_look look);
/* The operation of `thread` is a yield if the thread was at its place before. */
/* The same for a step that is no try and waits for nothing by itself, if the controller has seen a loop come back to its state
 * there (config.polling): then going round is a yield that nobody wrote. */
void bpor_circle_mark_polling(struct thread *thread);
void bpor_circle_mark(struct thread *thread, enum circle_look look);
/* The place that the thread visited last is never again one at which it waits. */
void bpor_circle_excuse(struct thread *thread);
/* What the thread wrote that others may read, outside of the model. */
void bpor_circle_output(struct thread *thread);
#endif
