/* What the kernel keeps of signals for the thread that carries executions: its mask and its alternate stack. It is put back only
 * where something may have changed it: two system calls would cost a small execution a twentieth of its time. */
#ifndef BPOR_SIGNAL_STATE_H
#define BPOR_SIGNAL_STATE_H
#include <stdbool.h>

/* At the fork point. */
void bpor_signal_state_take(void);
/* This execution may change it, or has. */
void bpor_signal_state_touched(void);
bool bpor_signal_state_is_touched(void);
/* After memory was put back. */
void bpor_signal_state_put_back(void);
#endif
