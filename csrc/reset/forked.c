/* The template remembers its pages, once, and notes which it writes itself between two forks: a child then knows every page that
 * may differ from what is remembered, as after rollback. The kernel reports written pages per process, so a child asks for
 * itself. The guard that rollback needs runs in the child too: after an effect outside memory the whole schedule up to the effect
 * becomes part of each state's identity, and where even that does not determine the state, there are no identities from then on.
 *
 * A child must not differ from its siblings before the program goes on. libc's record of the thread holds the thread id, which
 * libc also writes into mutexes, so the template's id is put back there. Bytes that the template's calls left on the stack are
 * cleared. */
#include "reset/forked.h"
#include "carrier/carrier.h"
#include "race/race.h"
#include "reset/guard.h"
#include "reset/pages.h"
#include "runtime/plan.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <string.h>

enum { RECORD_WORDS = 256 /* of libc's record, in which the number is among the first 200 */, LEFT_ON_STACK = 64 << 10 };

/* Not rolled back, because nothing is; and no part of a state. */
static struct forked {
    bool remembers;
    bool wanted; /* by the plan of this execution */
    bool born;   /* this is the child */
    int template;
    const char *problem;
} * forked;

static const char *remember(void)
{
    bpor_guard_reserve();
    forked->template = sys_gettid();
    if (!bpor_sharing_outlives_forks())
        return "there is no memory that executions could share";
    return bpor_pages_remember();
}

void bpor_forked_prepare(void)
{
    if (forked == NULL)
        forked = bpor_reserve_kept(sizeof *forked);
    forked->wanted = bpor_carrier == &bpor_fibers && bpor->shared->config.reset != BPOR_RESET_EXEC && bpor_plan_asks_for_states();
    if (!forked->wanted || forked->problem)
        return;
    forked->problem = forked->remembers ? bpor_pages_look() : remember();
    forked->remembers = true;
}

static void take_number_of_template(void)
{
    int own = sys_gettid();
    volatile int *word = __builtin_thread_pointer();
    for (unsigned i = 0; i < RECORD_WORDS; i++)
        if (word[i] == own)
            word[i] = forked->template;
}

void bpor_forked_born(void)
{
    if (!forked->wanted)
        return;
    forked->born = true;
    if (!forked->problem)
        forked->problem = bpor_pages_inherit();
    if (!forked->problem)
        take_number_of_template();
}

static __attribute__((noinline)) void clear_stack(void)
{
    uint8_t left[LEFT_ON_STACK];
    memset(left, 0, sizeof left);
    __asm__ volatile("" : : "r"(left) : "memory");
}

void bpor_forked_begin(void)
{
    if (forked == NULL || !forked->born)
        return;
    clear_stack();
    bpor_guard_arm_forked(forked->problem);
}
