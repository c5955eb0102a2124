/* Which code handles a signal: see signals.c. */
#ifndef BPOR_SIGNALS_H
#define BPOR_SIGNALS_H
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

bool bpor_signal_is_ours(int number);
/* sigaction as the target sees it, for signals that are ours. */
void bpor_signal_action(int number, const struct sigaction *new_action, struct sigaction *old_action);
/* For breakpoint instructions of ours, which code runs into before control begins. */
void bpor_signals_install_trap(void);
/* Is this on one of the stacks that handlers of fatal signals run on unless the target chose another? */
bool bpor_signals_own_stack(uintptr_t address);
/* sigaltstack as the target sees it. An error number, or 0. */
int bpor_signals_choose_stack(const stack_t *chosen, stack_t *old);
#endif
