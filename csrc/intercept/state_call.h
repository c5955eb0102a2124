/* An interceptor that records a use of state which libc or the kernel keeps for all threads, and passes the call on. */
#ifndef BPOR_STATE_CALL_H
#define BPOR_STATE_CALL_H
#include "process/process_state.h"
#include "runtime/real.h"

#define PIECE_CALL(result, name, parameters, arguments, state, piece, access)                                                    \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_piece_use(state, piece, access, CALL_SITE);                                                                         \
        return REAL(name) arguments;                                                                                             \
    }
#define STATE_CALL(result, name, parameters, arguments, state, access)                                                           \
    PIECE_CALL(result, name, parameters, arguments, state, 0, access)
#endif
