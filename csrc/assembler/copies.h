/* Structures that gcc copies in place (copies.c). */
#ifndef BPOR_ASSEMBLER_COPIES_H
#define BPOR_ASSEMBLER_COPIES_H
#include <stdbool.h>
#include <stddef.h>

/* Lines are counted from that of the first callback. */
struct structure_copy {
    bool writes, reads;
    unsigned bytes;
    int written,
        read; /* bytes until the half is done, from the begin on; negative: up to the end. All, if there is but one step */
    unsigned read_line; /* where the callback of the read stands behind that of the write; 0: there are not both */
    unsigned half_line; /* after this move the rest begins; 0: there is none */
};

/* From the line of a callback on. `size`: what its second argument is, if that is a number. */
bool bpor_copy_read(const char *at, const char *end, unsigned size, struct structure_copy *copy);
/* Keeps that number in mind, line by line. */
void bpor_copy_follow(const char *line, size_t bytes, unsigned *size);
#endif
