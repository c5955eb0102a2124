/* __tsan_atomic*: every atomic access is an operation (model/memory.c). A weak compare-exchange fails by chance only where the
 * test asks for it (--faults weak-cas). */
#include "instrument/callbacks.h"
#include "memory/memory.h"
#include "runtime/injection.h"
#include "runtime/real.h"

static bool weak_fails(const void *site)
{
    return bpor_injects(BPOR_FAULT_WEAK_CAS, BPOR_CALL_WEAK_CAS, site);
}

#define CALLBACK(result, name, parameters, arguments)
#define QUIET(name, parameters, arguments)
#define ATOMIC(result, name, parameters, arguments, action)                                                                      \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        return action;                                                                                                           \
    }
#define LOAD(bits) (value##bits) bpor_access(FORM_LOAD, address, bits / 8, 0, order, CALL_SITE)
#define CHANGE(bits, form) (value##bits) bpor_access(form, address, bits / 8, operand, order, CALL_SITE)
#define CAS_strong(bits) bpor_compare_exchange(address, bits / 8, expected, desired, order, failure, CALL_SITE)
#define CAS_weak(bits)                                                                                                           \
    (weak_fails(CALL_SITE) ? bpor_compare_in_vain(address, bits / 8, expected, failure, CALL_SITE) : CAS_strong(bits))
#define CAS_VALUE(bits) (bpor_compare_exchange(address, bits / 8, &expected, desired, order, failure, CALL_SITE), expected)
#include "instrument/callbacks.def"
#undef CALLBACK
#undef QUIET
#undef ATOMIC

INTERCEPT void __tsan_atomic_thread_fence(int order)
{
    bpor_fence(order, CALL_SITE);
}

/* Orders a thread and its own signal handler: nothing to do for anybody else. */
INTERCEPT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
