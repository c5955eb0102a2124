/* Functions of libc that work on memory (memcpy, strlen, qsort …) have no machine code of the module's own that could be patched.
 * The slots through which a patched module calls them point at the functions that serve instrumented code instead, which tell
 * the accesses and call libc's. */
#define _GNU_SOURCE
#include "arch/x86_64/page.h"
#include "instrument/callbacks.h"
#include "machine/machine.h"
#include "process/dynamic.h"
#include "runtime/sys.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

static const struct bpor_callback ours[] = {
#define CALLBACK(result, name, parameters, arguments)
#define WRAPPED(result, name, parameters, arguments) {#name, (void *)bpor_##name},
#include "instrument/callbacks.def"
#undef CALLBACK
#undef WRAPPED
};

void *bpor_machine_telling(const char *name)
{
    for (unsigned i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (strcmp(name, ours[i].name) == 0)
            return ours[i].function;
    return NULL;
}

/* A slot that was not used yet leads back into its own module. */
static const void *resolved(const char *name, void *const *slot)
{
    return bpor_dynamic_same_module(*slot, slot) ? dlsym(RTLD_DEFAULT, name) : *slot;
}

/* What another module defines under such a name is that module's business: its own accesses are seen, or named as not seen. */
static bool redirect(const char *name, void **slot, void *data)
{
    void *function = bpor_machine_telling(name);
    (void)data;
    if (function && bpor_dynamic_is_libcs(resolved(name, slot)))
        *slot = function;
    return true;
}

/* A pointer to such a function in a table of the module's. */
static bool redirect_word(const char *name, void **word, void *data)
{
    void *function = bpor_machine_telling(name);
    (void)data;
    if (function && bpor_dynamic_is_libcs(*word))
        *word = function;
    return true;
}

/* The slots of a module that is linked before it starts may be read-only by now. */
static void protect(const struct dl_phdr_info *info, int protection)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = (info->dlpi_addr + header->p_vaddr) & ~(uintptr_t)(PAGE - 1);
        uintptr_t end = (info->dlpi_addr + header->p_vaddr + header->p_memsz) & ~(uintptr_t)(PAGE - 1);
        if (header->p_type == PT_GNU_RELRO && end > start)
            sys_call3(SYS_mprotect, start, end - start, protection);
    }
}

void bpor_machine_redirect(const struct dl_phdr_info *info)
{
    protect(info, PROT_READ | PROT_WRITE);
    bpor_dynamic_each_slot(info, redirect, NULL);
    bpor_dynamic_each_word(info, redirect_word, NULL);
    protect(info, PROT_READ);
}
