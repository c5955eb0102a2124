/* Functions of the interpreter that parse arguments write the results to addresses that their caller gives. Usually those are
 * variables on the caller's stack; a static variable is shared by all callers. */
#ifndef BPOR_PARSED_H
#define BPOR_PARSED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of arguments: of the format, 0 if all that is written are words; of the first one that depends on it, 0 if nothing is
 * parsed. */
struct parsing {
    uint8_t format;
    uint8_t first;
};

struct arguments {
    const uintptr_t *in_registers;
    const uintptr_t *on_stack;
    unsigned registers;
};

struct targets {
    const struct arguments *arguments;
    const char *format; /* what is left of it; NULL: so many words */
    unsigned words;
    unsigned next; /* argument */
    bool length;   /* the one that follows is of the unit before */
};

struct target {
    uintptr_t place;
    size_t bytes;
};

/* The next one, which it is past then. */
uintptr_t bpor_parsed_argument(struct targets *targets);
struct targets bpor_parsed_targets(const struct parsing *parsing, const struct arguments *arguments);
/* False: there are no more. */
bool bpor_parsed_next(struct targets *targets, struct target *target);
#endif
