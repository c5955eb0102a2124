#include "loops/around.h"
#include "runtime/unwinding.h"

enum { FRAMES = 64 };

#if defined(__x86_64__)
static const int kept_registers[] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 .. r15: DWARF's numbers */
#else
static const int kept_registers[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#endif

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *data)
{
    struct around *look = data;
    uint64_t address = _Unwind_GetIP(context);
    if (look->frames++ == FRAMES || address == 0)
        return _URC_END_OF_STACK;
    if (address == look->site && !look->found) {
        look->found = true;
        look->stack = _Unwind_GetCFA(context);
        for (unsigned i = 0; i < sizeof kept_registers / sizeof kept_registers[0]; i++)
            look->registers = bpor_mix(look->registers, _Unwind_GetGR(context, kept_registers[i]));
    }
    if (look->found)
        look->calls = bpor_mix(look->calls, address);
    return _URC_NO_REASON;
}

static _Unwind_Reason_Code look_for_frame(struct _Unwind_Context *context, void *data)
{
    const struct around *look = data;
    _Unwind_Reason_Code how = look_at_frame(context, data);
    return look->found ? _URC_END_OF_STACK : how;
}

struct around bpor_look_around(struct thread *thread, uint64_t site, enum around_how how)
{
    struct around look = {.site = site, .calls = 1};
    bool was_shielded = thread->shielded;
    thread->shielded = true; /* the unwinder takes locks */
    bpor_unwind(how == AROUND_ONE_FRAME ? look_for_frame : look_at_frame, &look);
    thread->shielded = was_shielded;
    return look;
}
