/* String instructions: movs and stos, lods, scas and cmps, repeated or not. They access one element after the other, and each
 * element in up to two places. Where other threads use such a place, what the instruction has read may have changed when it
 * writes or looks at the next one: then each access is a step of its own, and we do what the instruction would do. Elsewhere all
 * of them are told together, and the instruction runs. */
#include "intercept/tsan_string.h"
#include "machine/machine.h"
#include "memory/memory.h"
#include <string.h>

enum { DIRECTION = 1 << 10, STATUS_FLAGS = 0x8d5, OVERFLOW_FLAG = 1 << 11 };

/* One of them, at the next element. */
struct strings {
    const struct site *site;
    struct site_frame *frame;
    const void *behind;
    int64_t step; /* from one element to the next */
};

static bool is(const struct strings *strings, unsigned form)
{
    return strings->site->kind == SITE_LOOK && strings->site->form & form;
}

/* Which of its two registers lead to memory. */
static bool by_rsi(const struct strings *strings)
{
    return strings->site->kind == SITE_COPY || (strings->site->kind == SITE_LOOK && !is(strings, LOOK_SCAN));
}

static bool by_rdi(const struct strings *strings)
{
    return strings->site->kind != SITE_LOOK || is(strings, LOOK_SCAN | LOOK_COMPARE);
}

static uint64_t element(const struct strings *strings, uint64_t address)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)address, strings->site->bytes);
    return value;
}

static uint64_t narrow(const struct strings *strings, uint64_t value)
{
    return strings->site->bytes < sizeof value ? value & ((1ull << 8 * strings->site->bytes) - 1) : value;
}

/* How many elements it would access if it ran now. */
static uint64_t elements(const struct strings *strings)
{
    const struct site_frame *frame = strings->frame;
    uint64_t count = strings->site->form & LOOK_REPEATED ? frame->rcx : 1, at = 0;
    if (!is(strings, LOOK_SCAN | LOOK_COMPARE))
        return count;
    while (at < count) {
        uint64_t far = at++ * (uint64_t)strings->step;
        uint64_t wanted = is(strings, LOOK_COMPARE) ? element(strings, frame->rsi + far) : narrow(strings, frame->rax);
        if ((element(strings, frame->rdi + far) == wanted) == is(strings, LOOK_UNTIL_EQUAL))
            break;
    }
    return at;
}

/* ---- all together ---- */

static struct plain_part all(const struct strings *strings, uint64_t address, uint64_t count, bool write)
{
    uint64_t first = strings->step > 0 ? address : address + (count - 1) * (uint64_t)strings->step;
    return (struct plain_part){(const void *)first, count * strings->site->bytes, write};
}

static void tell_all(const struct strings *strings, uint64_t count)
{
    struct plain_part from = all(strings, strings->frame->rsi, count, false);
    struct plain_part to = all(strings, strings->frame->rdi, count, strings->site->kind != SITE_LOOK);
    from.bytes = by_rsi(strings) ? from.bytes : 0;
    to.bytes = by_rdi(strings) ? to.bytes : 0;
    bpor_plain_accesses(from, to, strings->behind);
}

/* ---- one after the other ---- */

static uint64_t read_next(const struct strings *strings, uint64_t *at)
{
    bpor_plain_access((const void *)*at, strings->site->bytes, false, strings->behind);
    uint64_t value = element(strings, *at);
    *at += (uint64_t)strings->step;
    return value;
}

static void write_next(const struct strings *strings, uint64_t value)
{
    void *to = (void *)strings->frame->rdi; // NOLINT(performance-no-int-to-ptr)
    bpor_plain_access(to, strings->site->bytes, true, strings->behind);
    memcpy(to, &value, strings->site->bytes);
    strings->frame->rdi += (uint64_t)strings->step;
}

/* Of `cmp two, one`. The processor compares in the upper bits as it does in narrow registers, but for two flags about the lowest.
 */
static uint64_t flags_of(uint64_t one, uint64_t two, unsigned bytes)
{
    uint64_t low;
    uint8_t overflow;
#define COMPARE(type, suffix)                                                                                                    \
    __asm__("cmp" suffix " %3, %2\n\tlahf\n\tseto %1" : "=a"(low), "=q"(overflow) : "q"((type)one), "q"((type)two) : "cc")
    if (bytes == 1)
        COMPARE(uint8_t, "b");
    else if (bytes == 2)
        COMPARE(uint16_t, "w");
    else if (bytes == 4)
        COMPARE(uint32_t, "l");
    else
        COMPARE(uint64_t, "q");
#undef COMPARE
    return (low >> 8 & STATUS_FLAGS & ~(uint64_t)OVERFLOW_FLAG) | (overflow ? OVERFLOW_FLAG : 0);
}

/* As a move to a register of that width does it. */
static uint64_t loaded(const struct strings *strings, uint64_t value)
{
    bool keeps_rest = strings->site->bytes < sizeof(uint32_t);
    return keeps_rest ? (strings->frame->rax ^ narrow(strings, strings->frame->rax)) | value : value;
}

/* True: a comparison that ends it. */
static bool do_next(const struct strings *strings)
{
    struct site_frame *frame = strings->frame;
    uint64_t one = by_rsi(strings) ? read_next(strings, &frame->rsi) : narrow(strings, frame->rax);
    if (strings->site->kind != SITE_LOOK) {
        write_next(strings, one);
        return false;
    }
    if (!by_rdi(strings)) {
        frame->rax = loaded(strings, one);
        return false;
    }
    uint64_t two = read_next(strings, &frame->rdi);
    frame->flags = (frame->flags & ~(uint64_t)STATUS_FLAGS) | flags_of(one, two, strings->site->bytes);
    return (one == two) == is(strings, LOOK_UNTIL_EQUAL);
}

static void do_all(const struct strings *strings)
{
    uint64_t *left = &strings->frame->rcx;
    if (!(strings->site->form & LOOK_REPEATED)) {
        do_next(strings);
        return;
    }
    for (bool ends = false; *left && !ends; --*left)
        ends = do_next(strings);
}

/* ---- */

static bool others_use(const struct strings *strings, uint64_t count)
{
    struct plain_part from = all(strings, strings->frame->rsi, count, false), to = all(strings, strings->frame->rdi, count, true);
    return (by_rsi(strings) && bpor_string_others_look((const void *)from.address, from.bytes)) ||
           (by_rdi(strings) && bpor_string_others_look((const void *)to.address, to.bytes)) ||
           bpor_site_may_be_visible((uintptr_t)strings->behind);
}

bool bpor_machine_string(const struct site *site, struct site_frame *frame, const void *behind)
{
    int64_t step = frame->flags & DIRECTION ? -(int64_t)site->bytes : site->bytes;
    const struct strings strings = {site, frame, behind, step};
    uint64_t count = elements(&strings);
    if (count == 0)
        return false;
    if (!bpor_controlled() || !others_use(&strings, count)) {
        tell_all(&strings, count);
        return false;
    }
    do_all(&strings);
    return true;
}
