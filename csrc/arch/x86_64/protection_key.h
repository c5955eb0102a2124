/* Keys of memory protection: a register of the thread says what it may do with pages that carry a key. Writing the register takes
 * a few dozen cycles, and no system call. */
#ifndef BPOR_PROTECTION_KEY_H
#define BPOR_PROTECTION_KEY_H
#include <stdint.h>

enum { KEY_BITS = 2, KEY_NO_ACCESS = 1, KEY_NO_WRITE = 2 };

/* Not where the kernel gave no key: the processor may not know these instructions. */
static inline uint32_t read_key_rights(void)
{
    uint32_t rights, zero;
    __asm__ volatile("rdpkru" : "=a"(rights), "=d"(zero) : "c"(0) : "memory");
    return rights;
}

static inline void write_key_rights(uint32_t rights)
{
    __asm__ volatile("wrpkru" : : "a"(rights), "c"(0), "d"(0) : "memory");
}
#endif
