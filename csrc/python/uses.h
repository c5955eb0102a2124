/* What a function of the interpreter does with its arguments besides the objects that its row names: it reads texts, writes where
 * a pointer leads to, and uses objects that stand behind a format or in a row. */
#ifndef BPOR_USES_H
#define BPOR_USES_H
#include "python/parsed.h"

/* The arguments whose number changes: none; those of a format as printf has it, the last kind into the first argument, which has
 * as many bytes as the second says; those of a format as Py_BuildValue has it; objects up to a zero; objects as many as the
 * argument before says; an array of objects and how many they are; memory that is read and how many bytes. */
enum rest { NO_REST, PRINTED, PRINTED_INTO, BUILT, OBJECTS, COUNTED, ARRAY, RANGE };

struct uses {
    uint8_t texts; /* arguments, a bit for each */
    uint8_t words; /* that are written, at an argument */
    uint8_t ints;  /* the same, of four bytes */
    uint8_t rest;
    uint8_t at; /* the argument with which the rest begins: the format, if there is one */
};

void bpor_use_memory(uintptr_t start, size_t bytes, bool write, const void *site);
void bpor_uses_tell(const struct uses *uses, const struct arguments *arguments, const void *site);
#endif
