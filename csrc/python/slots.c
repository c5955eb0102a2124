#define _GNU_SOURCE
#include "python/slots.h"
#include "arch/x86_64/page.h"
#include "process/dynamic.h"
#include "python/gil.h"
#include "runtime/sys.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const struct slot *wanted;
static unsigned wanted_count;

static bool told;

static bool tells_accesses(const char *name, void **slot, void *data)
{
    (void)slot, (void)data;
    told |= strcmp(name, "bpor_attach") == 0 || strcmp(name, "__tsan_func_entry") == 0;
    return !told;
}

void bpor_slot_put(void **slot, void *function)
{
    long page = (long)((uintptr_t)slot & ~(uintptr_t)(PAGE - 1));
    sys_call3(SYS_mprotect, (void *)page, PAGE, PROT_READ | PROT_WRITE);
    *slot = function;
}

static bool redirect(const char *name, void **slot, void *data)
{
    (void)data;
    for (unsigned i = 0; i < wanted_count; i++)
        if (strcmp(name, wanted[i].name) == 0 && *wanted[i].theirs)
            bpor_slot_put(slot, wanted[i].ours);
    return true;
}

static int watch_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    told = false;
    bpor_dynamic_each_slot(info, tells_accesses, NULL);
    if (told)
        bpor_dynamic_each_slot(info, redirect, NULL);
    return 0;
}

/* The code of instrumented modules; looked for once, when all are loaded. */
enum { MOST_RANGES = 256 };
static struct range {
    uintptr_t start;
    size_t bytes;
} ranges[MOST_RANGES];
static unsigned range_count;

static int note_code(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    told = false;
    bpor_dynamic_each_slot(info, tells_accesses, NULL);
    for (unsigned i = 0; told && i < info->dlpi_phnum && range_count < MOST_RANGES; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
            ranges[range_count++] = (struct range){info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_memsz};
    return 0;
}

void bpor_slots_look(void)
{
    range_count = 0;
    dl_iterate_phdr(note_code, NULL);
}

bool bpor_slots_are_told(const void *address)
{
    for (unsigned i = 0; i < range_count; i++)
        if ((uintptr_t)address - ranges[i].start < ranges[i].bytes)
            return true;
    return false;
}

/* Nobody offers the lock before its functions, and its calls of the interpreter are no steps. */
void bpor_slots_loaded(const void *address)
{
    char why[BPOR_MESSAGE_BYTES];
    Dl_info module;
    if (!bpor_controlled() || !(bpor_gil.mutex || bpor_gil.absent) || !dladdr(address, &module) || !module.dli_fname)
        return;
    const char *slash = strrchr(module.dli_fname, '/');
    snprintf(why, sizeof why,
             "%s was imported in the midst of an execution, too late to be watched; import it at the top of the file",
             slash ? slash + 1 : module.dli_fname);
    bpor_end(BPOR_OUTCOME_REFUSED, 0, why);
}

void bpor_slots_find(const struct slot *slots, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        *slots[i].theirs = dlsym(RTLD_DEFAULT, slots[i].name);
}

void bpor_slots_redirect(const struct slot *slots, unsigned count)
{
    wanted = slots;
    wanted_count = count;
    bpor_slots_find(slots, count);
    dl_iterate_phdr(watch_module, NULL);
}
