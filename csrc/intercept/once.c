/* pthread_once, which is also what std::call_once calls, and C11's call_once (model/once.c). */
#include "model/rules.h"
#include "race/race.h"
#include "runtime/real.h"
#include <pthread.h>
#include <threads.h>

struct running {
    struct object *object;
    const void *site;
    bool returned;
};

static void end_step(struct running *running)
{
    struct operation *op = bpor_operation(OP_ONCE_END, running->site);
    bpor_touch_object(op, running->object, true);
    op->argument = running->returned;
    bpor_step();
}

static void run(struct object *object, void (*routine)(void), const void *site)
{
    struct running running __attribute__((cleanup(end_step))) = {.object = object, .site = site};
    routine();
    running.returned = true;
}

/* What was done before the fork point stays done in every schedule: no step. libstdc++ asks so at every use of a locale. */
static bool done_before_fork(const void *control)
{
    unsigned by;
    uint32_t stack;
    return bpor_once_is_done(control) && bpor_object_known(control, BPOR_CLASS_SYNC) == NULL &&
           !bpor_quarantine_holds((uintptr_t)control, &by, &stack);
}

static void once(void *control, void (*routine)(void), const void *site)
{
    if (done_before_fork(control))
        return;
    struct object *object = bpor_object(control, BPOR_CLASS_SYNC, FAMILY_ONCE);
    bpor_touch_object(bpor_operation(OP_ONCE_BEGIN, site), object, true);
    if (bpor_step())
        run(object, routine, site);
}

INTERCEPT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    if (!bpor_controlled())
        return REAL(pthread_once)(control, routine);
    once(control, routine, CALL_SITE);
    return 0;
}

INTERCEPT void call_once(once_flag *flag, void (*routine)(void))
{
    if (bpor_controlled())
        once(flag, routine, CALL_SITE);
    else
        REAL(call_once)(flag, routine);
}

OLD_NAME(pthread_once);
