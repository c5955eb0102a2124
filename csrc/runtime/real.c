/* Look-up of real functions. NULL is a possible answer for functions that this libc does not have. */
#define _GNU_SOURCE
#include "runtime/real.h"
#include "process/dynamic.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

static const char *const name[REAL_COUNT] = {
#define FUNCTION(identifier, family) [REAL_##identifier] = #identifier,
#include "protocol/intercepted.def"
#undef FUNCTION
};
static void *resolved[REAL_COUNT];

/* dlsym is ours too (intercept/linking.c): libc's cannot be found by asking it. */
static void *behind_ours(const char *wanted)
{
    static __typeof__(&dlsym) look_up;
    if (look_up == NULL)
        look_up = (__typeof__(&dlsym))bpor_dynamic_defined_by_libc("dlsym");
    return look_up(RTLD_NEXT, wanted);
}

/* libstdc++ may have been loaded later and for one module alone, which finds ours first: an extension of an interpreter. */
static bool is_cpps(const char *wanted)
{
    return wanted[0] == '_' && wanted[1] == 'Z';
}

void *bpor_real(enum real_function function)
{
    if (resolved[function] == NULL)
        resolved[function] = behind_ours(name[function]);
    if (resolved[function] == NULL && is_cpps(name[function]))
        resolved[function] = bpor_dynamic_defined_by_others(name[function]);
    return resolved[function];
}

void bpor_real_resolve_all(void)
{
    for (unsigned i = 0; i < REAL_COUNT; i++)
        bpor_real(i);
}
