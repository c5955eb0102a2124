/* Memory for marks, which threads have made marks, and how marks are removed. This file uses general registers only, because the
 * program's vector registers may be live. */
#pragma GCC target("general-regs-only")
#include "machine/filter.h"
#include "machine/machine.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <sys/auxv.h>
#include <sys/mman.h>

enum { HWCAP2_FSGSBASE_BIT = 2, LINE = 64, MOST_LINES = 8192, SHORT_RANGE = 1024, JUMP = 0xe9 };

/* From the mark of a write up to that of a read: not beyond it, because some processors do not add gs to what would be no address
 * without it. Where memory lies as far apart, two marks share a byte: they have different
 * values, and one of them is missed. */
static const uintptr_t apart = 0x10000000;
/* Where Linux puts programs that can be moved, with their heaps; and libraries, mappings and stacks. Their marks lie lower, where
 * it puts nothing. */
static const uintptr_t distance = 0x200000000000;
static const struct window {
    uintptr_t low, high;
} window[] = {{0x550000000000, 0x580000000000}, {0x780000000000, 0x7ffffffff000}};
enum { WINDOWS = sizeof window / sizeof window[0] };

static struct marked {
    uint32_t count;
    uintptr_t line[MOST_LINES]; /* of marks */
} * marked;
uint32_t *bpor_filter_marked;
static bool on;
static bool elsewhere; /* the program has memory outside of the windows */

static uintptr_t gs_base(void)
{
    uintptr_t base;
    __asm__ volatile("rdgsbase %0" : "=r"(base));
    return base;
}

static void set_gs_base(uintptr_t base)
{
    __asm__ volatile("wrgsbase %0" : : "r"(base));
}

bool bpor_filter_is_on(void)
{
    return on;
}

void bpor_filter_prepare(bool fixed_addresses)
{
    if (on || marked || fixed_addresses || elsewhere || !(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT) || gs_base() != 0)
        return;
    for (unsigned i = 0; i < WINDOWS; i++)
        if (!bpor_reserve_kept_at(window[i].low - distance - apart, window[i].high - window[i].low + apart))
            return;
    marked = bpor_reserve_kept(sizeof *marked);
    bpor_filter_marked = &marked->count;
    set_gs_base(-distance);
    on = true;
}

/* ---- marks ---- */

static bool has_marks(uintptr_t address, size_t bytes)
{
    for (unsigned i = 0; i < WINDOWS; i++)
        if (address >= window[i].low && address + bytes <= window[i].high)
            return true;
    return false;
}

static void remember(uintptr_t first, size_t bytes)
{
    for (uintptr_t line = first & ~(uintptr_t)(LINE - 1); line < first + bytes; line += LINE) {
        uint32_t count = marked->count;
        if (count > MOST_LINES || (count && marked->line[count - 1] == line) || (count > 1 && marked->line[count - 2] == line))
            continue;
        if (count < MOST_LINES)
            marked->line[count] = line;
        marked->count++;
    }
}

static void set(uintptr_t first, size_t bytes, uint8_t value)
{
    remember(first, bytes);
    for (size_t i = 0; i < bytes; i++)
        ((volatile uint8_t *)first)[i] = value;
}

void bpor_filter_mark(uintptr_t address, size_t bytes, bool write)
{
    const struct bpor_config *config = &bpor->shared->config;
    bool any_site = config->visible_count && config->visible[0].size == 0; /* which a mark would pass over */
    if (!on || any_site || !has_marks(address, bytes))
        return;
    set(address - distance, bytes, MARK_READ);
    if (write)
        set(address - distance - apart, bytes, MARK_WRITTEN);
}

/* More lines than were remembered: all of the memory is given back, which has cost less than the marks have. */
void bpor_filter_forget_all(void)
{
    bool all = marked->count > MOST_LINES;
    for (unsigned i = 0; all && i < WINDOWS; i++)
        sys_call3(SYS_madvise, window[i].low - distance - apart, window[i].high - window[i].low + apart, MADV_DONTNEED);
    for (uint32_t i = 0; !all && i < marked->count; i++)
        for (unsigned word = 0; word < LINE / sizeof(uint64_t); word++)
            ((volatile uint64_t *)marked->line[i])[word] = 0;
    marked->count = 0;
}

static void clear(uintptr_t first, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((volatile uint8_t *)first)[i] = 0;
}

void bpor_filter_unmark(uintptr_t start, size_t bytes)
{
    bpor_recent_forget();
    if (!marked || marked->count == 0 || bytes == 0)
        return;
    if (bytes > SHORT_RANGE || !has_marks(start, bytes)) {
        bpor_filter_forget_all();
        return;
    }
    clear(start - distance, bytes);
    clear(start - distance - apart, bytes);
}

/* ---- trampolines ---- */

/* At each place where a trampoline begins to look at marks: a jump to what it does without them. */
void bpor_filter_cut(struct blob *blob)
{
    uint8_t *file = (uint8_t *)blob;
    const struct blob_pair *gate = (const struct blob_pair *)(file + blob->gates);
    for (uint32_t i = 0; i < blob->gate_count; i++) {
        int32_t far = (int32_t)(gate[i].to - (gate[i].at + 5));
        file[gate[i].at] = JUMP;
        __builtin_memcpy(&file[gate[i].at + 1], &far, sizeof far);
    }
}

void bpor_filter_off(void)
{
    if (!on)
        return;
    on = false;
    bpor_filter_forget();
    bpor_machine_each_blob(bpor_filter_cut);
    set_gs_base(0);
}

void bpor_filter_new_memory(uintptr_t start, size_t bytes)
{
    if (start + bytes > RECENT_ADDRESSES)
        bpor_recent_off(); /* a program with five levels of pages asks for such memory: an entry has no room for its address */
    if (has_marks(start, bytes))
        return;
    elsewhere = true;
    bpor_filter_off();
}

void bpor_filter_check(void)
{
    if (on && gs_base() != -distance) {
        uintptr_t its = gs_base();
        bpor_filter_off();
        set_gs_base(its);
    }
}

uintptr_t bpor_filter_behind(uintptr_t instruction)
{
    const struct blob *blob = bpor_machine_blob_around(instruction);
    if (blob == NULL || !on)
        return 0;
    const struct blob_pair *look = (const struct blob_pair *)((const uint8_t *)blob + blob->looks);
    uint32_t at = (uint32_t)(instruction - (uintptr_t)blob), low = 0, high = blob->look_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (look[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < blob->look_count && look[low].at == at ? (uintptr_t)blob + look[low].to : 0;
}
