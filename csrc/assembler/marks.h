/* Marks in the code of an instrumented module: what lies between two of them accesses memory and has no callback. */
#ifndef BPOR_ASSEMBLER_MARKS_H
#define BPOR_ASSEMBLER_MARKS_H
#include "instrument/recent_layout.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A no-op of eight bytes with a number of ours in it (bpor/target/assembler.py knows them): no linker takes it away, and it
 * needs no table that could lose its function. */
#define MARK_BEGIN ".byte 0x0f,0x1f,0x84,0x00,0x5a,0x50,0x4f,0x62"
#define MARK_END ".byte 0x0f,0x1f,0x84,0x00,0xa5,0x50,0x4f,0x62"
/* Code outside of functions could not be found again in the module, so a note in the module says that there is such code. */
#define NOTE_OUTSIDE                                                                                                             \
    ".pushsection .note.bpor-native, \"a\", @note; .balign 4; .long 12, 0, 2; .asciz \"bpor-native\"; .popsection"

/* The text of a compiler's assembler file with marks and fast paths, and how many there are; 0: it is as it was. Lines keep their
 * numbers. `fast`: with fast paths. */
unsigned bpor_mark_assembler(const char *text, size_t bytes, bool fast, char **marked, size_t *marked_bytes);

/* Returns the next statement of a line that may access memory without a callback. */
int bpor_statement_accesses(const char *statement, size_t bytes);
/* An instruction that compilers emit without a callback: for intrinsics and for loops that they made vectors of. */
int bpor_instruction_is_untold(const char *statement, size_t bytes);

/* fast_path.c. Of the accesses that follow one another with no way in between to come from elsewhere, the first is counted for
 * all: a thread that goes round without end comes by it in each round. */
struct fast_paths {
    unsigned count;
    bool counted; /* the last access; and nothing was in between */
    bool intel;   /* syntax: calls stay as they are */
    bool off;
};
/* Writes the line, if it is the call of a callback for a plain access, with a test in front of it. False: it is none, and nothing
 * was written. */
bool bpor_write_fast_path(struct fast_paths *paths, FILE *out, const char *line, size_t bytes);
/* What a file with such tests needs. */
void bpor_write_fast_path_pointer(FILE *out);
#endif
