/* Returning from a signal handler. libc's restorer lies outside our text: its rt_sigreturn would be dispatched again (guard.c).
 */
#ifndef BPOR_SIGNAL_RETURN_H
#define BPOR_SIGNAL_RETURN_H
#include <stdint.h>

__attribute__((visibility("hidden"))) void bpor_guard_restorer(void);
__attribute__((visibility("hidden"), noreturn)) void bpor_guard_return_at(uint64_t stack);

#endif
