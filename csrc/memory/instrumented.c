/* The tables that only instrumented programs need are reserved when the process is claimed, or when its first instrumented module
 * shows itself later (dlopen). Every module with the stub inside is listed for the controller. */
#define _GNU_SOURCE
#include "memory/instrumented.h"
#include "python/slots.h"
#include "race/race.h"
#include "reset/guard.h"
#include "runtime/start.h"
#include "weak/weak.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>

static bool found;
static char modules[sizeof((struct bpor_shared *)0)->attached];

void bpor_instrumented_claim(void)
{
    const struct bpor_config *config = &bpor->shared->config;
    if (!found || bpor->instrumented)
        return;
    if (bpor->forked)
        bpor_guard_give_up(0, "the program loads its first instrumented module while it runs");
    if (config->races != BPOR_RACES_OFF)
        bpor_races_reserve();
    if (config->races != BPOR_RACES_OFF && config->memory != BPOR_MEMORY_SC)
        bpor_weak_reserve();
    memcpy(bpor->shared->attached, modules, sizeof modules);
    bpor->instrumented = true;
}

static void found_some(void)
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

/* ---- whose code it is ---- */

enum { MOST_MODULES = 256 };
static struct code {
    uintptr_t start;
    uintptr_t end;
} code[MOST_MODULES];
static unsigned code_count;

/* The one executable segment around an address, or around what lies nearest to it in its module. */
static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
    uintptr_t address = *(const uintptr_t *)data;
    bool mine = false;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        mine |= header->p_type == PT_LOAD && address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz;
    }
    for (unsigned i = 0; mine && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_flags & PF_X && code_count < MOST_MODULES)
            code[code_count++] = (struct code){start, start + header->p_memsz};
    }
    return mine;
}

void bpor_instrumented_patched(uintptr_t start, uintptr_t end)
{
    found = true;
    if (code_count < MOST_MODULES)
        code[code_count++] = (struct code){start, end};
}

static const struct code *code_of(const void *site)
{
    for (unsigned i = 0; i < code_count; i++)
        if ((uintptr_t)site - code[i].start < code[i].end - code[i].start)
            return &code[i];
    return NULL;
}

bool bpor_instrumented_code(const void *site)
{
    return code_of(site) != NULL;
}

bool bpor_instrumented_beside(const void *site, const void *other)
{
    const struct code *found = code_of(site);
    return found != NULL && found == code_of(other);
}

void bpor_instrumented_around(const void *address)
{
    bpor_slots_loaded(address);
    found_some();
    if (!bpor_instrumented_code(address))
        dl_iterate_phdr(find_code, &address);
}

void bpor_instrumented_module(const void *address)
{
    Dl_info info;
    bpor_instrumented_around(address);
    if (dladdr(address, &info) && info.dli_fname)
        list(info.dli_fname);
}
