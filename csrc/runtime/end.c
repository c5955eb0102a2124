/* The end of an execution: its outcome is written into the shared mapping, then the process ends. No code of the target runs
 * afterwards. */
#define _GNU_SOURCE
#include "carrier/carrier.h"
#include "process/descriptors.h"
#include "process/family.h"
#include "process/loaded.h"
#include "reset/keeper.h"
#include "runtime/debugger.h"
#include "runtime/objects.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include "runtime/unwinding.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Unwind_Reason_Code record_frame(struct _Unwind_Context *context, void *data)
{
    struct bpor_end *end = data;
    int exact = 0; /* a signal's frame: the instruction itself, not the one after a call */
    uintptr_t address = _Unwind_GetIPInfo(context, &exact) + (exact != 0);
    if (address == 0 || end->frames == BPOR_MAX_FRAMES)
        return _URC_END_OF_STACK;
    end->stack[end->frames++] = address;
    return _URC_NO_REASON;
}

static bool is_ours(uintptr_t address)
{
    uintptr_t offset;
    unsigned own, module;
    return bpor_module_of((uintptr_t)record_frame, &own, &offset) && bpor_module_of(address, &module, &offset) && module == own;
}

/* Two executions that fail in different places differ in the innermost frames, behind those of ours that came to notice it. */
static void drop_own_frames(struct bpor_end *end)
{
    unsigned own = 0;
    while (own < end->frames && is_ours(end->stack[own]))
        own++;
    end->frames -= own;
    memmove(end->stack, end->stack + own, end->frames * sizeof end->stack[0]);
}

void bpor_record_stack(void)
{
    struct bpor_end *end = &bpor->shared->end;
    bool was_shielded = bpor_self && bpor_self->shielded;
    end->frames = 0;
    if (bpor_self)
        bpor_self->shielded = true; /* the unwinder takes locks */
    bpor_unwind(record_frame, end);
    if (bpor_self)
        bpor_self->shielded = was_shielded;
    drop_own_frames(end);
}

/* Output that a person would want to see with a finding; the other ends are the search's own business. */
static bool worth_flushing(enum bpor_outcome outcome)
{
    return outcome == BPOR_OUTCOME_EXIT || outcome == BPOR_OUTCOME_DEADLOCK || outcome == BPOR_OUTCOME_ASSERTION ||
           outcome == BPOR_OUTCOME_MISUSE || outcome == BPOR_OUTCOME_RACE || outcome == BPOR_OUTCOME_MEMORY ||
           outcome == BPOR_OUTCOME_NONLINEARIZABLE || outcome == BPOR_OUTCOME_STEP_LIMIT;
}

/* A fork keeps only the thread that forked; where the one process stays, the pool sleeps beside it. */
static unsigned expected_tasks(void)
{
    if (bpor_carrier != &bpor_fibers)
        return bpor->threads;
    return bpor_keeper_active() || bpor->shared->config.family ? 1 + bpor_fibers_parked() : 1;
}

/* It begins a search, or has another input or failure than those before it. An execution that is drawn has no prefix either. */
static bool begins(void)
{
    uint32_t length = bpor->plan.prefix_length;
    if (length == 0)
        return !bpor->plan.sample || bpor->shared->look == BPOR_LOOK_NEVER;
    return bpor->shared->offers && bpor->prefix[length - 1] >= BPOR_ALTERNATIVE;
}

/* The first execution is looked at for all that follow, because a look is not cheap. If a failed assumption ended it early, the
 * next one that ends normally is used instead. */
static bool is_first(enum bpor_outcome outcome)
{
    uint32_t *look = &bpor->shared->look;
    if (begins())
        *look = BPOR_LOOK_DUE;
    bool is_it = *look == BPOR_LOOK_DUE && (outcome == BPOR_OUTCOME_EXIT || outcome == BPOR_OUTCOME_DEADLOCK);
    if (is_it)
        *look = BPOR_LOOK_TAKEN;
    return is_it;
}

/* Where others wait for this process, they learn its status, and the launcher tells the end when all have ended. Any other end
 * is the end of all. */
static void end_before_others(enum bpor_outcome outcome, int code)
{
    if (outcome == BPOR_OUTCOME_EXIT)
        bpor_family_turn_over(outcome, code, "");
    bpor_send(BPOR_MESSAGE_END, 0, 0);
    for (;;)
        sys_call3(SYS_pause, 0, 0, 0);
}

void bpor_end(enum bpor_outcome outcome, int code, const char *message)
{
    struct bpor_end *end = &bpor->shared->end;
    bpor_family_check();
    bool first = is_first(outcome);
    if (first && bpor_descriptors_tasks() > expected_tasks()) { /* one that is none of our threads runs out of our sight */
        outcome = BPOR_OUTCOME_REFUSED;
        message = "a thread that was not made by pthread_create runs in the program; it cannot be controlled";
    }
    bool controlled = bpor_self != NULL;
    if (controlled)
        bpor_self->shielded = true;
    if (first)
        bpor_loaded_look_for_made_code();
    bpor_loaded_note();
    if (worth_flushing(outcome))
        fflush(NULL);
    end->code = code;
    end->thread = controlled ? bpor_self->id : BPOR_NO_THREAD;
    end->steps = bpor->steps;
    memcpy(end->enabled, bpor->enabled.word, sizeof end->enabled);
    memcpy(end->timed, bpor->timed.word, sizeof end->timed);
    end->hash = bpor->hash;
    end->preemptions = bpor->preemptions;
    end->threads = bpor->threads;
    end->refused_by_bound = bpor->refused_by_bound;
    end->lost = bpor->lost;
    end->lost_at = bpor->lost_at;
    end->counting_at = bpor->counting_at;
    if (message != end->message)
        strncpy(end->message, message, sizeof end->message - 1);
    bpor_emit_description();
    __atomic_store_n(&end->outcome, (uint32_t)outcome, __ATOMIC_RELEASE);
    bpor_debugger_before_end();
    bpor_keeper_take_over();
    if (bpor->unheard)
        bpor_family_turn_over(outcome, code, end->message);
    if (bpor->shared->config.family)
        end_before_others(outcome, code);
    sys_exit_group(0);
}

void bpor_end_with_stack(enum bpor_outcome outcome, int code, const char *message)
{
    bpor_record_stack();
    bpor_end(outcome, code, message);
}

void bpor_misuse(const char *format, ...)
{
    struct bpor_end *end = &bpor->shared->end;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(end->message, sizeof end->message, format, arguments);
    va_end(arguments);
    end->object = 0;
    end->object_bytes = 0;
    bpor_fault(BPOR_OUTCOME_MISUSE);
}

/* The calls that led to the step, as a name that holds in every process: from the program's own call to where our code called it.
 */
static uint64_t calls_identity(const struct bpor_end *end)
{
    uint64_t identity = 1, unused;
    uintptr_t offset;
    unsigned own, module, at = 0;
    if (!bpor_module_of((uintptr_t)calls_identity, &own, &offset))
        return 0;
    while (at < end->frames && end->stack[at] != (uint64_t)bpor_self->op.site)
        at++;
    for (; at < end->frames && bpor_module_of(end->stack[at], &module, &offset) && module != own; at++)
        identity = bpor_mix(identity, bpor_canonical(end->stack[at], BPOR_CLASS_MEMORY, &unused));
    return identity == 1 ? 0 : identity;
}

/* --suppressions: a place of no bytes is a misuse that is known. */
static bool is_known(uint64_t identity)
{
    const struct bpor_config *config = &bpor->shared->config;
    for (unsigned i = 0; i < config->visible_count; i++)
        if (config->visible[i].size == 0 && config->visible[i].object == identity)
            return identity != 0;
    return false;
}

void bpor_fault(enum bpor_outcome outcome)
{
    bpor->fault = outcome;
    if (!bpor->performing)
        bpor_end_with_stack(outcome, 0, bpor->shared->end.message);
}

/* A step that misused an object did nothing else, so that the execution can go on behind it where the misuse is known. */
void bpor_end_if_faulty(void)
{
    struct bpor_end *end = &bpor->shared->end;
    if (!bpor->fault)
        return;
    bpor_record_stack();
    if (bpor->fault == BPOR_OUTCOME_MISUSE) {
        end->object = calls_identity(end);
        if (is_known(end->object)) {
            bpor->fault = 0;
            end->object = 0;
            end->frames = 0;
            end->message[0] = '\0';
            return;
        }
    }
    bpor_end(bpor->fault, 0, end->message);
}

static void __attribute__((noreturn)) refuse(const char *call, const char *way_out, bool harmless_alone)
{
    struct bpor_shared *shared = bpor->shared;
    bool later = !shared->threads_made && !shared->config.family && harmless_alone;
    snprintf(shared->end.message, sizeof shared->end.message, "%s: %s", call, way_out);
    if (later)
        shared->needs_family = BPOR_FAMILY_PERHAPS;
    bpor_end_with_stack(later ? BPOR_OUTCOME_NEEDS_FORK : BPOR_OUTCOME_REFUSED, 0, shared->end.message);
}

/* One that has no threads and waits for a child that may have them is perhaps not what is to be controlled. */
void bpor_refuse(const char *call, const char *way_out)
{
    refuse(call, way_out, bpor_family_child_lives());
}

void bpor_refuse_beside_threads(const char *call, const char *way_out)
{
    refuse(call, way_out, true);
}

/* The end is announced as an operation that depends on everything, so that operations of other threads are also tried before
 * it. */
void bpor_process_end(int status, const void *site)
{
    status &= 0xff; /* as much of it as a parent sees */
    struct operation *op = bpor_operation(OP_PROCESS_END, site);
    op->value = (uint64_t)status;
    bpor_step();
    bool matters = status != 0 || !bpor->assumed_away;
    if (status == 0)
        bpor_kin_process_ends();
    bpor_end(matters ? BPOR_OUTCOME_EXIT : BPOR_OUTCOME_ASSUMED, status, "");
}
