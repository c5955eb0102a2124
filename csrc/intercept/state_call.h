/* An interceptor that records a use of state which libc or the kernel keeps for all threads, and passes the call on. */
#ifndef BPOR_STATE_CALL_H
#define BPOR_STATE_CALL_H
#include "process/process_state.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

#define PIECE_CALL(result, name, parameters, arguments, state, piece, access)                                                    \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_piece_use(state, piece, access, CALL_SITE);                                                                         \
        return REAL(name) arguments;                                                                                             \
    }
#define STATE_CALL(result, name, parameters, arguments, state, access)                                                           \
    PIECE_CALL(result, name, parameters, arguments, state, 0, access)

/* What libc does inside such a call is its own: texts that it frees under a lock which nobody sees, files that it reads, modules
 * that it loads to answer. */
static inline bool bpor_shield_begins(void)
{
    return bpor_controlled() && (bpor_self->shielded = true);
}

static inline void bpor_shield_ends(bool shielded)
{
    if (shielded)
        bpor_self->shielded = false;
}

/* An answer that the next call overwrites: it is used after the call, so that others may come in between. */
#define OVERWRITTEN(result, name, parameters, arguments) OVERWRITTEN_BY(result, name, parameters, arguments, (void)0)

/* `tell`: of the memory that it is given. */
#define OVERWRITTEN_BY(result, name, parameters, arguments, tell)                                                                \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        tell;                                                                                                                    \
        bpor_state_use(STATE_STATICS, LOOKS | CHANGES, site);                                                                    \
        bool shielded = bpor_shield_begins();                                                                                    \
        result answer = REAL(name) arguments;                                                                                    \
        bpor_shield_ends(shielded);                                                                                              \
        bpor_state_use(STATE_STATICS, LOOKS, site);                                                                              \
        return answer;                                                                                                           \
    }

/* The time of a `moment`. It follows the time zone, too, which is what the environment says. */
#define OVERWRITTEN_BY_ZONE(result, name, parameters, arguments)                                                                 \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        bpor_told_read(moment, sizeof *moment, site);                                                                            \
        bpor_state_use(STATE_ENVIRONMENT, LOOKS, site);                                                                          \
        bpor_state_use(STATE_STATICS, LOOKS | CHANGES, site);                                                                    \
        bool shielded = bpor_shield_begins();                                                                                    \
        result answer = REAL(name) arguments;                                                                                    \
        bpor_shield_ends(shielded);                                                                                              \
        bpor_state_use(STATE_STATICS, LOOKS, site);                                                                              \
        return answer;                                                                                                           \
    }
#endif
