/* A page: its size (x86-64 has no other for what we track), whole pages copied and cleared, and pages made equal to others. */
#ifndef BPOR_PAGE_H
#define BPOR_PAGE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
enum { PAGE = 4096, STRIP = 256, STRIPS = PAGE / STRIP, LINE = 64 };

static inline void copy_page(void *to, const void *from)
{
    /* Not memcpy: libc's lies in memory whose GOT entry we may be restoring. */
    uint64_t count = PAGE / 8;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

static inline void zero_page(void *to)
{
    uint64_t count = PAGE / 8;
    __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(0) : "memory");
}

/* Bit i: strip i of the page is zero. */
static inline uint16_t blank_strips(const void *page)
{
    uint16_t blank = 0;
    for (unsigned strip = 0; strip < STRIPS; strip++) {
        const uint64_t *word = (const uint64_t *)((const uint8_t *)page + strip * STRIP);
        uint64_t any = 0;
        for (unsigned i = 0; i < STRIP / sizeof *word; i++)
            any |= word[i];
        blank |= (uint16_t)((any == 0) << strip);
    }
    return blank;
}

/* Registers that every processor has. Memory in the midst of a record need not be aligned. */
typedef long long line_lane __attribute__((vector_size(16), aligned(1), may_alias));

static inline void copy_line(void *to, const void *from)
{
    line_lane *into = to;
    const line_lane *lane = from;
#pragma GCC unroll 4
    for (unsigned i = 0; i < LINE / sizeof *lane; i++)
        into[i] = lane[i];
}

/* Puts the lines of a page that are named, bit by bit, one behind the other, or back from there. Returns the end of what was
 * written or read there. */
static inline uint8_t *gather_lines(uint8_t *to, const void *page, uint64_t lines)
{
    for (; lines; lines &= lines - 1, to += LINE)
        copy_line(to, (const uint8_t *)page + (unsigned)__builtin_ctzll(lines) * LINE);
    return to;
}

static inline const uint8_t *spread_lines(void *page, const uint8_t *from, uint64_t lines)
{
    for (; lines; lines &= lines - 1, from += LINE)
        copy_line((uint8_t *)page + (unsigned)__builtin_ctzll(lines) * LINE, from);
    return from;
}

/* The lines of a page that differ from its copy, bit by bit (NULL: from zeros). */
static inline uint64_t differing_lines(const void *page, const void *from)
{
    uint64_t found = 0;
    for (unsigned line = 0; line < PAGE / LINE; line++) {
        const uint64_t *now = (const uint64_t *)((const uint8_t *)page + line * LINE);
        const uint64_t *copy = (const uint64_t *)((const uint8_t *)from + line * LINE);
        uint64_t differs = 0;
        for (unsigned i = 0; i < LINE / sizeof *now; i++)
            differs |= now[i] ^ (from ? copy[i] : 0);
        found |= (uint64_t)(differs != 0) << line;
    }
    return found;
}

/* One AVX register. <immintrin.h> has a name for it, and costs the compiler more time than most of our files. */
typedef long long page_lane __attribute__((vector_size(32), may_alias));

/* Likewise of AVX-512: a line. */
typedef long long page_wide __attribute__((vector_size(64), may_alias));

/* Writes only the strips that differ: an execution changes few strips of a page, and a strip that is not written need not be
 * written back from the cache. A strip that is known to be blank is not even read (`from` may be NULL if all are). Returns false
 * if none differed. */
__attribute__((target("avx512f"))) static inline bool settle_page_wide(void *to, const void *from, uint16_t blank)
{
    const page_wide zero = {0};
    bool any = false;
    _Static_assert(STRIP == 4 * sizeof zero, "a strip is four registers");
#pragma GCC unroll 16
    for (unsigned strip = 0; strip < STRIPS; strip++) {
        page_wide *now = (page_wide *)((uint8_t *)to + strip * STRIP), differs;
        const page_wide *copy = (const page_wide *)((const uint8_t *)from + strip * STRIP);
        bool is_blank = blank >> strip & 1, equal; /* GCC and clang have no builtin function in common for the latter */
        if (is_blank)
            differs = now[0] | now[1] | now[2] | now[3];
        else
            differs = (now[0] ^ copy[0]) | (now[1] ^ copy[1]) | (now[2] ^ copy[2]) | (now[3] ^ copy[3]);
        __asm__("vptestmq %1, %1, %%k1\n    kortestw %%k1, %%k1" : "=@ccz"(equal) : "v"(differs) : "k1");
        if (equal)
            continue;
        any = true;
#pragma GCC unroll 4
        for (unsigned i = 0; i < STRIP / sizeof zero; i++)
            now[i] = is_blank ? zero : copy[i];
    }
    return any;
}

__attribute__((target("avx512f"))) static inline bool is_zero_wide(page_wide value)
{
    bool zero;
    __asm__("vptestmq %1, %1, %%k1\n    kortestw %%k1, %%k1" : "=@ccz"(zero) : "v"(value) : "k1");
    return zero;
}

/* differing_lines, where strips are known that were blank, and most do not differ. */
__attribute__((target("avx512f"))) static inline uint64_t differing_lines_wide(const void *page, const void *from, uint16_t blank)
{
    const page_wide zero = {0};
    enum { LINES = STRIP / LINE };
    uint64_t found = 0;
#pragma GCC unroll 16
    for (unsigned strip = 0; strip < STRIPS; strip++) {
        const page_wide *now = (const page_wide *)((const uint8_t *)page + strip * STRIP);
        const page_wide *copy = (const page_wide *)((const uint8_t *)from + strip * STRIP);
        bool is_blank = blank >> strip & 1;
        page_wide differs[LINES];
#pragma GCC unroll 4
        for (unsigned i = 0; i < LINES; i++)
            differs[i] = now[i] ^ (is_blank ? zero : copy[i]);
        if (is_zero_wide(differs[0] | differs[1] | differs[2] | differs[3]))
            continue;
#pragma GCC unroll 4
        for (unsigned i = 0; i < LINES; i++)
            found |= (uint64_t)!is_zero_wide(differs[i]) << (strip * LINES + i);
    }
    return found;
}

/* The widest registers slow no processor down that also has the younger VBMI2. */
static inline bool has_wide_registers(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vbmi2");
}

/* differing_lines_wide where registers are narrower. */
__attribute__((target("avx2"))) static inline uint64_t differing_lines_quick(const void *page, const void *from, uint16_t blank)
{
    const page_lane zero = {0};
    enum { LINES = STRIP / LINE };
    uint64_t found = 0;
    for (unsigned strip = 0; strip < STRIPS; strip++) {
        const page_lane *now = (const page_lane *)((const uint8_t *)page + strip * STRIP);
        const page_lane *copy = (const page_lane *)((const uint8_t *)from + strip * STRIP);
        bool is_blank = blank >> strip & 1;
        page_lane differs[LINES], any = zero;
#pragma GCC unroll 4
        for (unsigned i = 0; i < LINES; i++) {
            differs[i] = (now[2 * i] ^ (is_blank ? zero : copy[2 * i])) | (now[2 * i + 1] ^ (is_blank ? zero : copy[2 * i + 1]));
            any |= differs[i];
        }
        if (__builtin_ia32_ptestz256(any, any))
            continue;
#pragma GCC unroll 4
        for (unsigned i = 0; i < LINES; i++)
            found |= (uint64_t)!__builtin_ia32_ptestz256(differs[i], differs[i]) << (strip * LINES + i);
    }
    return found;
}

/* The lines of a page that are not zero, bit by bit. */
static inline uint64_t used_lines(const void *page)
{
    if (has_wide_registers())
        return differing_lines_wide(page, NULL, UINT16_MAX);
    if (__builtin_cpu_supports("avx2"))
        return differing_lines_quick(page, NULL, UINT16_MAX);
    return differing_lines(page, NULL);
}

/* settle_page_wide where registers are narrower. */
__attribute__((target("avx2"))) static inline bool settle_page(void *to, const void *from, uint16_t blank)
{
    const page_lane zero = {0};
    bool any = false;
    for (unsigned strip = 0; strip < STRIPS; strip++) {
        page_lane *now = (page_lane *)((uint8_t *)to + strip * STRIP), before[STRIP / sizeof zero], differs = zero;
        const page_lane *copy = (const page_lane *)((const uint8_t *)from + strip * STRIP);
        bool is_blank = blank >> strip & 1;
#pragma GCC unroll 8
        for (unsigned i = 0; i < STRIP / sizeof zero; i++) {
            before[i] = is_blank ? zero : copy[i];
            differs |= now[i] ^ before[i];
        }
        if (__builtin_ia32_ptestz256(differs, differs))
            continue;
        any = true;
#pragma GCC unroll 8
        for (unsigned i = 0; i < STRIP / sizeof zero; i++)
            now[i] = before[i];
    }
    return any;
}

#endif
