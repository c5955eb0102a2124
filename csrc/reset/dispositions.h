/* Dispositions of signals as the kernel has them: what an execution changes is remembered, and undone when it is over. */
#ifndef BPOR_DISPOSITIONS_H
#define BPOR_DISPOSITIONS_H
#include "state/digest.h"
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct kernel_sigaction {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

enum { RESTORER_FLAG = 0x04000000 }; /* in `flags`: there is a restorer */

void bpor_dispositions_reserve(void);
/* rt_sigaction with the arguments of the system call. Signals that are needed are never blocked (masks.h). */
long bpor_disposition_change(const long *argument);
void bpor_dispositions_undo(void);
bool bpor_dispositions_changed(void);
/* Those that were changed, as they are now. */
void bpor_dispositions_digest(struct digest *set);
#endif
