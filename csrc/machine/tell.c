/* What happens at a site: a step, a plain access, or a result that replaces the instruction. The instruction itself runs right
 * after the hook has returned, before any other thread does, so an operation told here is performed by its caller. */
#define _GNU_SOURCE
#include "intercept/random.h"
#include "intercept/syscall.h"
#include "machine/filter.h"
#include "machine/machine.h"
#include "memory/memory.h"
#include "process/loaded.h"
#include "process/system_calls.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

enum { STATUS_FLAGS = 0x8d5, CARRY = 1, REGISTERS = 16, RED_ZONE = 128, RDTSCP_BYTES = 3 };

/* By the processor's number; the stack pointer is nobody's operand. */
static uint64_t *at(struct site_frame *frame, unsigned number)
{
#define AT(name) (uint8_t) offsetof(struct site_frame, name)
    enum { NOWHERE = UINT8_MAX };
    static const uint8_t where[REGISTERS] = {AT(rax), AT(rcx), AT(rdx), AT(rbx), NOWHERE, AT(rbp), AT(rsi), AT(rdi),
                                             AT(r8),  AT(r9),  AT(r10), AT(r11), AT(r12), AT(r13), AT(r14), AT(r15)};
#undef AT
    uint8_t far = where[number % REGISTERS];
    return far == NOWHERE ? NULL : (uint64_t *)((uintptr_t)frame + far);
}

static uint64_t value_of(struct site_frame *frame, unsigned number)
{
    const uint64_t *where = at(frame, number);
    return where ? *where : 0;
}

/* The number of a bit, in a register, may lead beyond the operand. */
static uintptr_t address_of_bit(const struct site *site, struct site_frame *frame, uintptr_t address)
{
    int64_t bits = 8 * site->bytes, number = (int64_t)value_of(frame, site->source);
    if (site->bytes < 8)
        number = site->bytes == 4 ? (int32_t)number : (int16_t)number;
    int64_t words = number >= 0 ? number / bits : -((-number + bits - 1) / bits);
    return address + (uintptr_t)(words * site->bytes);
}

/* ---- plain ---- */

/* Reads, then writes: another processor may come in between. If somebody did, the instruction finds what was there when it read.
 */
static void update(uintptr_t address, unsigned bytes, const void *site)
{
    value128 before;
    size_t kept = bytes <= sizeof before ? bytes : 0;
    bpor_plain_access((const void *)address, bytes, false, site);
    memcpy(&before, (const void *)address, kept);
    bpor_plain_access((const void *)address, bytes, true, site);
    if (memcmp((const void *)address, &before, kept) != 0)
        memcpy((void *)address, &before, kept);
}

/* Elements on end are one access, and all of them are one step: the instruction accesses them at once, behind it. */
static void masked(uintptr_t address, const struct site *site, uint64_t mask, const void *behind)
{
    if (site->form & MASKED_PACKED)
        mask = __builtin_popcountll(mask) < 64 ? (1ull << __builtin_popcountll(mask)) - 1 : ~0ull;
    struct plain_part part[PLAIN_PARTS]; /* of 64 elements, every other one */
    unsigned parts = 0;
    while (mask) {
        unsigned first = (unsigned)__builtin_ctzll(mask);
        uint64_t rest = ~(mask >> first);
        unsigned count = rest ? (unsigned)__builtin_ctzll(rest) : 64;
        const void *start = (const void *)(address + (uintptr_t)first * site->bytes);
        part[parts++] = (struct plain_part){start, (size_t)count * site->bytes, site->form & MASKED_WRITES};
        mask = first + count < 64 ? mask >> (first + count) << (first + count) : 0;
    }
    bpor_plain_parts(part, parts, behind);
}

/* ---- atomic ---- */

static value128 operand_of(const struct site *site, struct site_frame *frame)
{
    unsigned bits = 8u * site->bytes;
    if (site->form == FORM_CAS && site->bytes == sizeof(value128))
        return (value128)frame->rcx << 64 | frame->rbx;
    if (site->source == SOURCE_IMMEDIATE)
        return site->operand;
    uint64_t value = value_of(frame, site->source);
    if (!(site->source & SOURCE_BIT_OF))
        return value;
    uint64_t bit = (uint64_t)1 << value % bits;
    return site->form == FORM_AND ? ~bit : bit;
}

static void locked(uintptr_t address, const struct site *site, struct site_frame *frame, const void *behind)
{
    bool bit = site->source != SOURCE_IMMEDIATE && site->source & SOURCE_BIT_OF;
    struct memory_access access = {
        .address = (volatile void *)(bit ? address_of_bit(site, frame, address) : address),
        .size = site->bytes,
        .form = site->form == FORM_UNKNOWN ? FORM_EXCHANGE : (enum atomic_form)site->form,
        .order = __ATOMIC_SEQ_CST,
        .failure_order = __ATOMIC_SEQ_CST,
        .performed_by_caller = true,
        .foreseen = site->form != FORM_UNKNOWN,
        .operand = operand_of(site, frame),
        .expected = (value128)frame->rdx << 64 | frame->rax,
    };
    bpor_atomic(&access, behind);
}

/* A back-off loop pauses many times in a row and reads nothing in between. Every thread that may run at the second pause may also
 * run at the first one, so together they are one yield. From time to time another one is a yield all the same, because not every
 * read of a thread is reported. */
static void pause(const struct thread *self, const void *behind)
{
    enum { AS_ONE = 64 };
    uint32_t pauses = bpor_rounds[self->id].pauses;
    if (pauses % AS_ONE == 0) {
        bpor_operation(OP_YIELD, behind);
        bpor_step();
    }
    bpor_rounds[self->id].pauses = pauses + 1;
}

/* ---- answered ---- */

static bool system_call(struct site_frame *frame, const void *behind)
{
    const long argument[6] = {(long)frame->rdi, (long)frame->rsi, (long)frame->rdx,
                              (long)frame->r10, (long)frame->r8,  (long)frame->r9};
    int saved = errno;
    if (frame->rax == SYS_arch_prctl)
        bpor_filter_off(); /* gs may become the program's */
    if (frame->rax == SYS_mprotect && argument[2] & PROT_WRITE)
        bpor_machine_writable((uintptr_t)argument[0], (size_t)argument[1]);
    if ((frame->rax == SYS_mprotect || frame->rax == SYS_mmap) && argument[2] & PROT_EXEC)
        bpor_loaded_made_code();
    if (bpor_system_call_has((long)frame->rax, SYSTEM_CALL_ABSENT)) {
        frame->rax = (uint64_t)-ENOSYS;
        return true;
    }
    if (frame->rax != SYS_futex)
        return false; /* the guard sees it, as ever */
    long answer = bpor_futex(argument, behind);
    frame->rax = (uint64_t)(answer < 0 ? -errno : answer);
    errno = saved;
    return true;
}

/* Virtual time: it repeats, and a loop that waits for it gets on. rdtscp also tells which processor it is. */
static bool tell_time(const struct site *site, struct site_frame *frame)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ticks = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    frame->rax = ticks & UINT32_MAX;
    frame->rdx = ticks >> 32;
    if (site->length >= RDTSCP_BYTES)
        frame->rcx = 0;
    return true;
}

static bool draw(const struct site *site, struct site_frame *frame)
{
    uint64_t *where = at(frame, site->source), value;
    if (where == NULL)
        return false;
    bpor_random_fill(&value, sizeof value);
    if (site->bytes == 2)
        value = (*where & ~(uint64_t)UINT16_MAX) | (value & UINT16_MAX);
    *where = site->bytes == 4 ? value & UINT32_MAX : value;
    frame->flags = (frame->flags & ~(uint64_t)STATUS_FLAGS) | CARRY;
    return true;
}

static bool tell_operation(uintptr_t address, const struct site *site, struct site_frame *frame, const void *behind)
{
    switch ((enum site_kind)site->kind) {
    case SITE_LOCKED:
        locked(address, site, frame, behind);
        return false;
    case SITE_FENCE:
        bpor_fence(__ATOMIC_SEQ_CST, behind);
        return false;
    case SITE_PAUSE:
        pause(bpor_self, behind);
        return false;
    case SITE_SYSCALL:
        return system_call(frame, behind);
    case SITE_CLOCK:
        return tell_time(site, frame);
    default:
        return draw(site, frame);
    }
}

static bool tell(uintptr_t address, const struct site *site, struct site_frame *frame, const void *behind)
{
    switch ((enum site_kind)site->kind) {
    case SITE_READ:
    case SITE_WRITE:
        if (!bpor_plain_access((const void *)address, site->bytes, site->kind == SITE_WRITE, behind))
            bpor_machine_told(address, site);
        return false;
    case SITE_UPDATE:
        update(address, site->bytes, behind);
        bpor_machine_told(address, site);
        return false;
    case SITE_COPY:
    case SITE_FILL:
    case SITE_LOOK:
        return bpor_machine_string(site, frame, behind);
    case SITE_BIT:
        address = address_of_bit(site, frame, address);
        if (site->form)
            update(address, site->bytes, behind);
        else
            bpor_plain_access((const void *)address, site->bytes, false, behind);
        return false;
    default:
        return bpor_controlled() && tell_operation(address, site, frame, behind);
    }
}

uint64_t bpor_machine_registers(const uint64_t *stack)
{
    const struct site_frame *frame = (const struct site_frame *)((uintptr_t)stack - RED_ZONE) - 1;
    const uint64_t *saved[] = {&frame->r15, &frame->r11};
    const unsigned count[] = {6, 9}; /* those of the hook; those of the trampoline */
    uint64_t hash = 1;
    for (unsigned part = 0; part < 2; part++)
        for (unsigned i = 0; i < count[part]; i++)
            hash = bpor_mix(hash, saved[part][i]);
    return hash;
}

bool bpor_machine_tell(uintptr_t address, const struct site *site, struct site_frame *frame, uint64_t mask)
{
    const void *behind = (const void *)(site->instruction + site->length);
    struct thread *self = bpor_self;
    self->machine_stack = (const uint64_t *)((uintptr_t)(frame + 1) + RED_ZONE);
    bool done = site->kind != SITE_MASKED && tell(address, site, frame, behind);
    if (site->kind == SITE_MASKED)
        masked(address, site, mask, behind);
    self->machine_stack = NULL;
    return done;
}
