/* Functions of ours in place of some of libstdc++'s (members.def). */
#ifndef BPOR_TOLD_H
#define BPOR_TOLD_H
#include "instrument/callbacks.h"

/* A function under the name by which the linker knows it (--wrap), and the library's own. */
#define WRAPS(symbol) __asm__("__wrap_" symbol) HIDDEN
#define REAL(symbol) __asm__("__real_" symbol)

/* A word of eight bytes; what is told comes first, as in the code of a compiler. */
#define READ(place) (__tsan_read8((void *)&(place)), (place))
#define WRITE(place, value)                                                                                                      \
    do {                                                                                                                         \
        __typeof__(place) told_value = (value);                                                                                  \
        __tsan_write8((void *)&(place));                                                                                         \
        (place) = told_value;                                                                                                    \
    } while (0)

/* Around the body of each of them. */
#define ENTER() __tsan_func_entry(__builtin_return_address(0))
#define LEAVE() __tsan_func_exit()
#endif
