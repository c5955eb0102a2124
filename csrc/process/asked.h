/* Names of files that the program has asked for, in all executions. On another machine they may lead to something else. */
#ifndef BPOR_ASKED_H
#define BPOR_ASKED_H

enum asked_how {
    ASKED_FOR = '=',     /* what it leads to matters */
    ASKED_TO_MAKE = '+', /* anew, whatever was there */
    ASKED_WHETHER = '!', /* it is there: a name to be made, or removed. In the list: it was, and ASKED_IN_VAIN: it was not */
    ASKED_IN_VAIN = '-',
    ASKED_TO_LIST = '/', /* a directory, with its names */
    ASKED_TO_LOAD = '?'  /* a library that the loader looks for: the name alone */
};

void bpor_asked_reserve(void);
/* Lists a name, as *at() functions take it, if config.asks tells to: shared->asked. */
void bpor_asked_note(int directory, const char *path, enum asked_how how);
#endif
