/* An alarm is followed where it is the limit of a test: it ends the process if it rings, and virtual time is not there yet when
 * the execution is over or the alarm is taken back. One that rings does so at no defined point, so that it is refused at the step
 * in which the clock of a thread gets there; so is one whose signal has a handler. */
#include "runtime/alarm.h"
#include "process/untold.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <signal.h>
#include <stdio.h>

static uint64_t rings_at; /* 0: none is set */

static const char RINGS[] =
    "alarm: it rings at no defined point while the threads run; set a later one, or use a thread that sleeps";

static bool ends_the_process(void)
{
    struct sigaction now;
    return REAL(sigaction)(SIGALRM, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

/* Clocks of threads go on apart: by now is what the furthest says. */
static uint64_t latest(void)
{
    uint64_t now = 0;
    for (unsigned i = 0; i < bpor->threads; i++)
        if (bpor->thread[i].now > now)
            now = bpor->thread[i].now;
    return now;
}

static void set(uint64_t nanoseconds)
{
    if (__builtin_add_overflow(latest(), nanoseconds, &rings_at))
        rings_at = UINT64_MAX;
    bpor_untold_in_any_company("an alarm that is set does not ring");
}

unsigned bpor_alarm_set(unsigned seconds)
{
    uint64_t now = latest(), left = rings_at > now ? rings_at - now : 0;
    rings_at = 0;
    if (seconds && !ends_the_process())
        bpor_refuse_beside_threads("alarm", "its handler runs at no defined point; use a thread that sleeps");
    if (seconds)
        set(seconds * (uint64_t)NANOSECONDS);
    return (unsigned)((left + NANOSECONDS - 1) / NANOSECONDS);
}

bool bpor_alarm_take(const struct itimerval *timer)
{
    static const struct itimerval none;
    bool once = timer->it_interval.tv_sec == 0 && timer->it_interval.tv_usec == 0;
    if (!once || !ends_the_process() || sys_call3(SYS_setitimer, ITIMER_REAL, &none, 0) != 0)
        return false;
    set((uint64_t)timer->it_value.tv_sec * NANOSECONDS + (uint64_t)timer->it_value.tv_usec * 1000);
    return true;
}

void bpor_alarm_forget(void)
{
    rings_at = 0;
}

void bpor_alarm_look(const struct thread *thread)
{
    if (rings_at == 0 || thread->now < rings_at)
        return;
    snprintf(bpor->shared->end.message, sizeof bpor->shared->end.message, "%s", RINGS);
    bpor_fault(BPOR_OUTCOME_REFUSED);
}

void bpor_alarm_handled(void)
{
    if (rings_at != 0)
        bpor_refuse("alarm", "its handler runs at no defined point; use a thread that sleeps");
}
