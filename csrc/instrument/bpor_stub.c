/* Linked into every module that `bpor-native cc` builds, in place of libtsan.
 *
 * Each callback jumps through the module's own table. The constructor hands the table to `bpor_attach`, which is there only when
 * the preload library is; without it the table keeps the functions below, and the program runs as if it had not been
 * instrumented. The callbacks are hidden: were they visible, they would hide the preload library's, in an executable always and
 * in a library linked with -Bsymbolic. A tail jump keeps the return address, which is the call site. */
/* The symbol __tsan_init itself is in bpor_mark.c, which calls this. */
#define _GNU_SOURCE
#pragma redefine_extname __tsan_init bpor_initialise
#include "instrument/alone.h"
#include "instrument/callbacks.h"
#include "instrument/copy_rest.h"
#include "instrument/recent_layout.h"

enum row {
#define CALLBACK(result, name, parameters, arguments) ROW_##name,
#include "instrument/callbacks.def"
#undef CALLBACK
    ROW_RECENT,
    ROWS
};

static struct bpor_callback table[ROWS] = {
#define CALLBACK(result, name, parameters, arguments) [ROW_##name] = {#name, (void *)alone_##name},
#include "instrument/callbacks.def"
#undef CALLBACK
    [ROW_RECENT] = {RECENT_NAME, NULL},
};

/* Where the code looks that our assembler puts in place of calls. Files with such code bring the same definition, so that they
 * can be linked without this one. */
static const char every_access_calls[] = {[RECENT_AT_MODE] = RECENT_CALL};
__attribute__((weak)) HIDDEN const void *RECENT_POINTER = every_access_calls;

/* Weak: a program may have wrappers of its own. */
#define WRAPPED(result, name, parameters, arguments)                                                                             \
    __attribute__((weak)) HIDDEN result __wrap_##name parameters;                                                                \
    result __wrap_##name parameters                                                                                              \
    {                                                                                                                            \
        return ((result(*) parameters)table[ROW_bpor_##name].function)arguments;                                                 \
    }
#define CALLBACK(result, name, parameters, arguments)                                                                            \
    HIDDEN result name parameters                                                                                                \
    {                                                                                                                            \
        return ((result(*) parameters)table[ROW_##name].function)arguments;                                                      \
    }
#include "instrument/callbacks.def"
#undef CALLBACK
#undef WRAPPED

COPY_REST(HIDDEN_REST);

#pragma weak bpor_attach

__attribute__((constructor(101))) static void attach(void)
{
    if (bpor_attach)
        bpor_attach(table, ROWS);
    if (table[ROW_RECENT].function)
        RECENT_POINTER = table[ROW_RECENT].function;
}
