/* What signals do between threads: see signal.c. */
#ifndef BPOR_SIGNAL_H
#define BPOR_SIGNAL_H
#include "runtime/runtime.h"
#include <signal.h>

/* A signal is about to meet the handler that some thread has chosen by now. */
void bpor_signal_meets_handler(int number, const void *site);
/* The wait that follows brings a mask: one that lets in what is pending, or is sent meanwhile, is refused. */
void bpor_signals_let_in(const sigset_t *mask, const char *call);
/* The answer of such a wait, which is over. */
static inline long bpor_signals_kept_out(long answer)
{
    bpor_self->let_in = 0;
    return answer;
}
#endif
