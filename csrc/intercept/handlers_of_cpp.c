/* What libstdc++ keeps for all threads: what it calls when it gives up or has no memory, and where containers get theirs. */
#include "intercept/state_call.h"

typedef void handler(void);

/* Under the names that C++ gives them. */
#define KEPT_CALL(result, symbol, parameters, arguments, piece, access)                                                          \
    INTERCEPT result bpor_##symbol parameters __asm__(#symbol);                                                                  \
    result bpor_##symbol parameters                                                                                              \
    {                                                                                                                            \
        bpor_piece_use(STATE_SETTINGS, piece, access, CALL_SITE);                                                                \
        return ((__typeof__(bpor_##symbol) *)bpor_real(REAL_##symbol))arguments;                                                 \
    }

KEPT_CALL(handler *, _ZSt13set_terminatePFvvE, (handler * now), (now), HANDLERS_OF_CPP, LOOKS | CHANGES)
KEPT_CALL(handler *, _ZSt13get_terminatev, (void), (), HANDLERS_OF_CPP, LOOKS)
KEPT_CALL(handler *, _ZSt14set_unexpectedPFvvE, (handler * now), (now), HANDLERS_OF_CPP, LOOKS | CHANGES)
KEPT_CALL(handler *, _ZSt14get_unexpectedv, (void), (), HANDLERS_OF_CPP, LOOKS)
KEPT_CALL(handler *, _ZSt15set_new_handlerPFvvE, (handler * now), (now), HANDLERS_OF_CPP, LOOKS | CHANGES)
KEPT_CALL(handler *, _ZSt15get_new_handlerv, (void), (), HANDLERS_OF_CPP, LOOKS)
KEPT_CALL(void *, _ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE, (void *now), (now), DEFAULT_RESOURCE, LOOKS | CHANGES)
KEPT_CALL(void *, _ZNSt3pmr20get_default_resourceEv, (void), (), DEFAULT_RESOURCE, LOOKS)
