/* A page: its size (x86-64 has no other for what we track), and whole pages copied and cleared. */
#ifndef BPOR_PAGE_H
#define BPOR_PAGE_H
#include <stdint.h>
enum { PAGE = 4096 };

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

#endif
