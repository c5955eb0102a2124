#include "arch/x86_64/vectors.h"
#include <cpuid.h>

/* Components of the state, as XCR0 has them. */
enum { X87 = 1, SSE = 2, AVX = 4, AVX512 = 0xe0, EXTENDED_STATE_LEAF = 0xd, XGETBV_OF_USE_BIT = 1 << 2, FEATURES_LEAF = 7 };

uint32_t bpor_vectors_present;
uint32_t bpor_vectors_tell_use;

static uint32_t enabled(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low & (X87 | SSE | AVX | AVX512);
}

/* Three components make AVX-512, all of them or none. Masks of 64 bits came with the second processor that had it. */
bool bpor_vectors_prepare(void)
{
    uint32_t a = 0, b = 0, c = 0, d = 0;
    bpor_vectors_present = X87 | SSE;
    if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE)
        bpor_vectors_present = enabled();
    bpor_vectors_tell_use = __get_cpuid_count(EXTENDED_STATE_LEAF, 1, &a, &b, &c, &d) && a & XGETBV_OF_USE_BIT;
    if (!(bpor_vectors_present & AVX512))
        return true;
    return (bpor_vectors_present & AVX512) == AVX512 && __get_cpuid_count(FEATURES_LEAF, 0, &a, &b, &c, &d) && b & bit_AVX512BW;
}
