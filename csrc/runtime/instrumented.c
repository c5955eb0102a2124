/* The tables that only instrumented programs need are reserved when the process is claimed, or when its first instrumented module
 * shows itself later (dlopen). Every module with the stub inside is listed for the controller. */
#define _GNU_SOURCE
#include "runtime/instrumented.h"
#include "runtime/race.h"
#include "runtime/start.h"
#include <dlfcn.h>
#include <string.h>

static bool found;
static char modules[sizeof((struct bpor_shared *)0)->attached];

void bpor_instrumented_claim(void)
{
    const struct bpor_config *config = &bpor->shared->config;
    if (!found || bpor->instrumented)
        return;
    if (config->races != BPOR_RACES_OFF)
        bpor_races_reserve();
    memcpy(bpor->shared->attached, modules, sizeof modules);
    bpor->instrumented = true;
}

void bpor_instrumented_found(void)
{
    bpor_look_for_controller();
    found = true;
    if (bpor && bpor->attached)
        bpor_instrumented_claim();
}

static void list(const char *path)
{
    size_t used = strlen(modules), length = strlen(path);
    if (used + length + 2 > sizeof modules)
        return;
    memcpy(modules + used, path, length);
    memcpy(modules + used + length, "\n", 2);
    if (bpor && bpor->attached)
        memcpy(bpor->shared->attached, modules, sizeof modules);
}

void bpor_instrumented_module(const void *address)
{
    Dl_info info;
    bpor_instrumented_found();
    if (dladdr(address, &info) && info.dli_fname)
        list(info.dli_fname);
}
