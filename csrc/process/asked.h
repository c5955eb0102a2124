/* Names of files that the program has asked for, in all executions. On another machine they may lead to something else. */
#ifndef BPOR_ASKED_H
#define BPOR_ASKED_H

enum asked_how {
    ASKED_FOR = '=',     /* what it leads to matters */
    ASKED_TO_MAKE = '+', /* anew, whatever was there */
    ASKED_WHETHER = '!', /* it is there: a name to be made, or removed. In the list: it was, and ASKED_IN_VAIN: it was not */
    ASKED_IN_VAIN = '-',
    ASKED_TO_LIST = '/',  /* a directory, with its names */
    ASKED_TO_MATCH = '*', /* a pattern of names; that ends in two stars: and all that lies below */
    ASKED_TO_LOAD = '?'   /* a library that the loader looks for: the name alone */
};

void bpor_asked_reserve(void);
/* Lists a name, as *at() functions take it, if config.asks tells to: shared->asked. */
void bpor_asked_note(int directory, const char *path, enum asked_how how);
/* What glob() takes, and what ftw() takes. Of what else walks through directories nothing is known. */
void bpor_asked_pattern(const char *pattern, int flags);
void bpor_asked_below(const char *path);
void bpor_asked_unknown(void);
#endif
