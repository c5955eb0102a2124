/* A module built by `bpor-native cc` hands over its table of callbacks; ours go into it, by name. One row is no callback: it is
 * where the code looks that stands in place of calls (assembler/fast_path.c). */
#include "instrument/callbacks.h"
#include "instrument/recent_layout.h"
#include "memory/instrumented.h"
#include "memory/recent.h"
#include "runtime/real.h"
#include <string.h>

static const struct bpor_callback ours[] = {
#define CALLBACK(result, name, parameters, arguments) {#name, (void *)name},
#include "instrument/callbacks.def"
#undef CALLBACK
};

static void *function_named(const char *name, unsigned long hint)
{
    enum { COUNT = sizeof ours / sizeof ours[0] };
    if (hint < COUNT && strcmp(ours[hint].name, name) == 0)
        return ours[hint].function; /* a module of this version: same order */
    for (unsigned i = 0; i < COUNT; i++)
        if (strcmp(ours[i].name, name) == 0)
            return ours[i].function;
    return NULL;
}

INTERCEPT void bpor_attach(struct bpor_callback *table, unsigned long rows)
{
    bpor_instrumented_module(table);
    for (unsigned long i = 0; i < rows; i++) {
        void *function = strcmp(table[i].name, RECENT_NAME) == 0 ? bpor_recent_early() : function_named(table[i].name, i);
        if (function)
            table[i].function = function;
    }
}
