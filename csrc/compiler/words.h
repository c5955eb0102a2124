/* What a compiler's command line asks for, as far as we need to know. */
#ifndef BPOR_COMPILER_WORDS_H
#define BPOR_COMPILER_WORDS_H
#include <stdbool.h>

struct request {
    bool has_input;       /* a file to work on: without one it is a question (--version, -print-...) */
    bool has_source;      /* something to compile, not only objects and libraries */
    bool links;           /* makes a program or a library */
    bool relocatable;     /* -r: the result is linked again later */
    bool other_sanitizer; /* -fsanitize=address and its like, which exclude ours */
    bool debug_chosen;    /* some -g option: the user's choice stands */
};

/* Looks at every word, response files included. */
struct request read_request(char **words);
#endif
