/* Linked into every module that `bpor-native cc` builds, in place of libtsan.
 *
 * Each callback jumps through the module's own table. The constructor hands the table to `bpor_attach`, which is there only when
 * the preload library is; without it the table keeps the functions below, and the program runs as if it had not been
 * instrumented. The callbacks are hidden: were they visible, they would hide the preload library's, in an executable always and
 * in a library linked with -Bsymbolic. A tail jump keeps the return address, which is the call site. */
#include "instrument/alone.h"
#include "instrument/callbacks.h"

#define HIDDEN __attribute__((visibility("hidden")))

enum row {
#define CALLBACK(result, name, parameters, arguments) ROW_##name,
#include "instrument/callbacks.def"
#undef CALLBACK
    ROWS
};

static struct bpor_callback table[ROWS] = {
#define CALLBACK(result, name, parameters, arguments) [ROW_##name] = {#name, (void *)alone_##name},
#include "instrument/callbacks.def"
#undef CALLBACK
};

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

#pragma weak bpor_attach

__attribute__((constructor(101))) static void attach(void)
{
    if (bpor_attach)
        bpor_attach(table, ROWS);
}

/* How the census knows the module, stripped or not: an ELF note, owner "bpor-native", type 1, version of the table. */
__attribute__((section(".note.bpor-native"), aligned(4), used)) static const struct {
    uint32_t name_bytes, description_bytes, type;
    char name[12];
    uint32_t version;
} note = {sizeof note.name, sizeof note.version, 1, "bpor-native", 1};
