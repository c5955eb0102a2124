/* Look-up of real functions. NULL is a possible answer for functions that this libc does not have. */
#define _GNU_SOURCE
#include "runtime/real.h"
#include <dlfcn.h>
#include <stddef.h>

static const char *const name[REAL_COUNT] = {
#define FUNCTION(identifier, family) [REAL_##identifier] = #identifier,
#include "protocol/intercepted.def"
#undef FUNCTION
};
static void *resolved[REAL_COUNT];

void *bpor_real(enum real_function function)
{
    if (resolved[function] == NULL)
        resolved[function] = dlsym(RTLD_NEXT, name[function]);
    return resolved[function];
}

void bpor_real_resolve_all(void)
{
    for (unsigned i = 0; i < REAL_COUNT; i++)
        bpor_real(i);
}
