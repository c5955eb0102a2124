/* A page: its size (x86-64 has no other for what we track), whole pages copied and cleared, and pages made equal to others. */
#ifndef BPOR_PAGE_H
#define BPOR_PAGE_H
#include <stdbool.h>
#include <stdint.h>
enum { PAGE = 4096, STRIP = 256, STRIPS = PAGE / STRIP };

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

/* One AVX register. <immintrin.h> has a name for it, and costs the compiler more time than most of our files. */
typedef long long page_lane __attribute__((vector_size(32), may_alias));

/* Likewise of AVX-512. */
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

/* The same where registers are narrower. */
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
