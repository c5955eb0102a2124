/* A signal mask is changed by a call, which the guard or the interceptor sees, or by a handler, which begins with another mask,
 * may be left by a jump and may end the execution. Our own handlers do not change the mask (SA_NODEFER, an empty mask). A handler
 * of the program was installed in this execution or before the fork point; in both cases the mask is always put back. */
#include "reset/signal_state.h"
#include "carrier/signals.h"
#include "reset/dispositions.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"

/* In memory that outlives executions. */
static struct signal_state {
    uint64_t mask;
    bool handled; /* the program has a handler at the fork point */
    bool touched; /* by this execution */
} * state;

static bool has_handler(int number)
{
    struct kernel_sigaction action = {0};
    sys_call4(SYS_rt_sigaction, number, NULL, &action, sizeof action.mask);
    return action.handler != (void *)SIG_DFL && action.handler != (void *)SIG_IGN;
}

void bpor_signal_state_take(void)
{
    state = bpor_reserve_kept(sizeof *state);
    sys_call4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &state->mask, sizeof state->mask);
    bpor_signals_prepare_thread(bpor_self);
    for (int number = 1; number <= LAST_SIGNAL; number++)
        state->handled |= !bpor_signal_is_ours(number) && has_handler(number);
}

void bpor_signal_state_touched(void)
{
    if (state)
        state->touched = true;
}

bool bpor_signal_state_is_touched(void)
{
    return state->handled || state->touched;
}

void bpor_signal_state_put_back(void)
{
    if (!state->handled && !state->touched)
        return;
    state->touched = false;
    sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, &state->mask, 0, sizeof state->mask);
    bpor_signals_prepare_thread(bpor_self);
}
