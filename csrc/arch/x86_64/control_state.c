/* The x87 environment is slow to save and to load (100 ns). Most programs never use it, which the processor knows (XINUSE, read
 * by xgetbv): then nothing is to be done. The caller of a function saves the eight registers, so they need nothing here unless
 * MMX code has forgotten emms. The tags are switched, because such code would otherwise fill the register stack of another
 * thread. */
#include "arch/x86_64/control_state.h"
#include "runtime/sys.h"
#include <asm/prctl.h>
#include <cpuid.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>

enum {
    HWCAP2_FSGSBASE_BIT = 2,
    EXTENDED_STATE_LEAF = 0xd,
    XGETBV_OF_USE_BIT = 1 << 2,
    X87_IN_USE_BIT = 1,
    FEATURES_LEAF = 7,
    PROTECTION_KEYS_BIT = 1 << 4,
    DEFAULT_MXCSR = 0x1f80,
    DEFAULT_PROTECTION = 0x55555554, /* every key but the first denies */
};
/* Words of the environment. The other words hold the address of the last x87 instruction, which may differ between equivalent
 * executions. */
enum { X87_CONTROL, X87_STATUS, X87_TAGS, X87_RELEVANT, ALL_EMPTY = 0xffff };

static bool knows_use, has_gs_instructions;

static bool x87_in_use(void)
{
    uint32_t low, high;
    if (!knows_use)
        return true;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low & X87_IN_USE_BIT;
}

void bpor_control_state_prepare(void)
{
    uint32_t a = 0, b = 0, c = 0, d = 0;
    knows_use = __get_cpuid_count(EXTENDED_STATE_LEAF, 1, &a, &b, &c, &d) && (a & XGETBV_OF_USE_BIT);
    has_gs_instructions = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT;
}

/* A thread's rights to memory with protection keys; they come and go with system calls that few programs make, and are left to
 * the kernel. */
const char *bpor_control_state_problem(void)
{
    uint32_t a = 0, b = 0, c = 0, d = 0, rights = DEFAULT_PROTECTION;
    if (__get_cpuid_count(FEATURES_LEAF, 0, &a, &b, &c, &d) && (c & PROTECTION_KEYS_BIT))
        __asm__ volatile(".byte 0x0f, 0x01, 0xee" : "=a"(rights), "=d"(d) : "c"(0)); /* rdpkru */
    return rights == DEFAULT_PROTECTION ? NULL : "memory is protected by keys, to which each thread has its own rights";
}

static uint64_t gs_base(void)
{
    uint64_t base = 0;
    if (has_gs_instructions)
        __asm__ volatile("rdgsbase %0" : "=r"(base));
    else
        sys_call3(SYS_arch_prctl, ARCH_GET_GS, &base, 0);
    return base;
}

static void set_gs_base(uint64_t base)
{
    if (has_gs_instructions)
        __asm__ volatile("wrgsbase %0" : : "r"(base));
    else
        sys_call3(SYS_arch_prctl, ARCH_SET_GS, base, 0);
}

static uint32_t alignment_checks(void)
{
    uint64_t flags;
    __asm__ volatile("pushfq\n    pop %0" : "=r"(flags));
    return (uint32_t)flags & ALIGNMENT_CHECK_BIT;
}

static void flip_alignment_checks(void)
{
    __asm__ volatile("pushfq\n    xorl %0, (%%rsp)\n    popfq" : : "i"(ALIGNMENT_CHECK_BIT) : "memory", "cc");
}

void bpor_alignment_checks_off(void)
{
    if (alignment_checks())
        flip_alignment_checks();
}

/* As xsave would have left it if nothing were in use. */
static const struct {
    uint8_t registers[512];
    uint64_t header[8];
} nothing_used __attribute__((aligned(64)));

/* After fninit the processor holds the unit to be in use, in this thread of the kernel's for ever; after xrstor it does not. */
static void reset_x87(void)
{
    if (knows_use)
        __asm__ volatile("xrstor64 %0" : : "m"(nothing_used), "a"(X87_IN_USE_BIT), "d"(0));
    else
        __asm__ volatile("fninit");
}

typedef struct {
    uint8_t bytes[sizeof(uint32_t[X87_ENVIRONMENT_WORDS]) + X87_REGISTER_BYTES];
} x87_image;

static x87_image *image_of(const struct control_state *state)
{
    return (x87_image *)state->x87;
}

/* A register that is not empty: MMX code has forgotten emms. What the registers hold is nobody's, but the tags that a program
 * reads depend on it. */
static bool has_used_registers(const uint32_t *environment)
{
    return environment[X87_CONTROL] != 0 && (environment[X87_TAGS] & ALL_EMPTY) != ALL_EMPTY;
}

static void save_x87(struct control_state *state)
{
    uint32_t *environment = state->x87;
    if (!x87_in_use())
        return;
    __asm__ volatile("fnstenv %0\n    fldenv %0" : "=m"(state->x87)); /* it masks all */
    if (has_used_registers(environment))
        __asm__ volatile("fnsave %0\n    frstor %0" : "=m"(*image_of(state)));
    for (unsigned i = X87_RELEVANT; i < X87_ENVIRONMENT_WORDS; i++)
        environment[i] = 0;
}

/* Pending unmasked exceptions of either thread must not be raised here: xrstor, fninit and fnclex do not check for them. */
static void load_x87(const struct control_state *state)
{
    if (state->x87[X87_CONTROL] == 0)
        reset_x87();
    else if (has_used_registers(state->x87))
        __asm__ volatile("fnclex\n    frstor %0" : : "m"(*image_of(state)));
    else
        __asm__ volatile("fnclex\n    fldenv %0" : : "m"(state->x87));
}

void bpor_control_state_save(struct control_state *state)
{
    memset(image_of(state), 0, sizeof(x87_image)); /* all of it: it is part of a state's identity */
    state->gs_base = gs_base();
    state->flags = alignment_checks();
    __asm__ volatile("stmxcsr %0" : "=m"(state->mxcsr));
    save_x87(state);
}

void bpor_control_state_load(const struct control_state *state, const struct control_state *now)
{
    if (state->gs_base != now->gs_base)
        set_gs_base(state->gs_base);
    if (state->flags != now->flags)
        flip_alignment_checks();
    if (state->mxcsr != now->mxcsr)
        __asm__ volatile("ldmxcsr %0" : : "m"(state->mxcsr));
    if (memcmp(state->x87, now->x87, sizeof state->x87) != 0 || has_used_registers(state->x87))
        load_x87(state);
}

void bpor_control_state_default(void)
{
    const uint32_t mxcsr = DEFAULT_MXCSR;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    reset_x87();
}
