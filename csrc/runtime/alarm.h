/* The alarm of the process, in virtual time. */
#ifndef BPOR_ALARM_H
#define BPOR_ALARM_H
#include "runtime/runtime.h"
#include <sys/time.h>

/* Sets it so many seconds from now; 0: there is none from now on. Returns how many were left of the one before. */
unsigned bpor_alarm_set(unsigned seconds);
/* Takes over one that runs already, if that can be followed. */
bool bpor_alarm_take(const struct itimerval *timer);
/* It is not inherited by a copy of the process. */
void bpor_alarm_forget(void);
/* The clock of a thread has gone on. */
void bpor_alarm_look(const struct thread *thread);
/* Somebody is about to say what happens when it rings. */
void bpor_alarm_handled(void);
#endif
