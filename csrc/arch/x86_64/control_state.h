/* The state of a processor that belongs to the running thread and that calls do not save: floating-point modes and flags, the
 * base of %gs, alignment checks. The kernel keeps it per thread and gives a new thread a copy of its creator's; fibers and
 * rollback have to do the same. */
#ifndef BPOR_CONTROL_STATE_H
#define BPOR_CONTROL_STATE_H
#include <stdint.h>

enum { X87_ENVIRONMENT_WORDS = 7, X87_REGISTER_BYTES = 80, ALIGNMENT_CHECK_BIT = 1 << 18 };

struct control_state {
    uint64_t gs_base;
    uint32_t mxcsr;                      /* rounding, masks and exception flags of SSE */
    uint32_t flags;                      /* of the processor: alignment checks alone */
    uint32_t x87[X87_ENVIRONMENT_WORDS]; /* control, status and tag word; all zero: as after fninit */
    uint8_t
        x87_register[X87_REGISTER_BYTES]; /* behind the environment, as fnsave stores them; if the tags say that one is used */
};

/* Once, before the first use: what this processor has. */
void bpor_control_state_prepare(void);
/* NULL, or why a switch by hand would lose something. */
const char *bpor_control_state_problem(void);
void bpor_control_state_save(struct control_state *state);
/* `now`: what is in effect. What is equal is left alone, because loading costs more than comparing. */
void bpor_control_state_load(const struct control_state *state, const struct control_state *now);
/* As at the start of a process, but for the base of %gs: for code of ours that computes. */
void bpor_control_state_default(void);
void bpor_alignment_checks_off(void);
#endif
