/* The interpreter is not instrumented, so what an extension keeps in its containers would be invisible, and a search that leaves
 * out what it cannot see proves nothing. A static interpreter cannot be interposed by preloading, so the slots through which
 * instrumented modules call it (their GOT) are pointed at functions of ours, which tell of the access and pass the call on. */
#define _GNU_SOURCE
#include "python/containers.h"
#include "python/gil.h"
#include "runtime/dynamic.h"
#include "runtime/objects.h"
#include "runtime/sys.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

enum { DICT = BPOR_CONTAINER_DICT, LIST = BPOR_CONTAINER_LIST, SET = BPOR_CONTAINER_SET, OBJECT = BPOR_CONTAINER_OBJECT };
enum { READ = OP_CONTAINER_READ, WRITE = OP_CONTAINER_WRITE };
enum { PAGE = 4096 };

typedef uintptr_t call(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

enum function {
#define CONTAINER(name, kind, access) FUNCTION_##name,
#include "python/containers.def"
#undef CONTAINER
    FUNCTIONS
};
static call *interpreters[FUNCTIONS];

/* With the lock modelled, the order in which it is taken covers what is done under it. */
static void visit(unsigned kind, enum operation_kind access, uintptr_t container, const void *site)
{
    uint64_t allocation_site = 0;
    if (!bpor_controlled() || bpor->unexplored || container == 0)
        return;
    bpor->shared->containers |= kind;
    if (!bpor_gil_is_off() || bpor->threads == 1)
        return;
    uint64_t object = bpor_canonical(container, BPOR_CLASS_CONTAINER, &allocation_site);
    bpor_emit_place(object, container, allocation_site);
    bpor_touch(bpor_operation(access, site), object, 1, access == OP_CONTAINER_WRITE);
    bpor_step();
}

/* Six words in registers are the arguments of any of them. */
#define CONTAINER(name, kind, access)                                                                                            \
    static uintptr_t our_##name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)                    \
    {                                                                                                                            \
        visit(kind, (enum operation_kind)access, a, __builtin_return_address(0));                                                \
        return interpreters[FUNCTION_##name](a, b, c, d, e, f);                                                                  \
    }
#include "python/containers.def"
#undef CONTAINER

static const struct {
    const char *name;
    call *ours;
} table[FUNCTIONS] = {
#define CONTAINER(name, kind, access) {#name, our_##name},
#include "python/containers.def"
#undef CONTAINER
};

/* ---- the slots of a module ---- */

static void each_slot(const struct dl_phdr_info *info, bool (*visit_slot)(const char *name, void **slot))
{
    struct dynamic slots = bpor_dynamic_of(info);
    if (slots.symbols == NULL || slots.names == NULL)
        return;
    for (unsigned part = 0; part < 2; part++)
        for (size_t i = 0; i < slots.count[part]; i++) {
            const ElfW(Rela) *relocation = &slots.relocations[part][i];
            unsigned long type = ELF64_R_TYPE(relocation->r_info);
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
                continue;
            const char *name = slots.names + slots.symbols[ELF64_R_SYM(relocation->r_info)].st_name;
            if (!visit_slot(name, (void **)(info->dlpi_addr + relocation->r_offset)))
                return;
        }
}

static bool told;

static bool tells_accesses(const char *name, void **slot)
{
    (void)slot;
    told |= strcmp(name, "bpor_attach") == 0 || strcmp(name, "__tsan_func_entry") == 0;
    return !told;
}

static void put(void **slot, void *function)
{
    long page = (long)((uintptr_t)slot & ~(uintptr_t)(PAGE - 1));
    sys_call3(SYS_mprotect, (void *)page, PAGE, PROT_READ | PROT_WRITE);
    *slot = function;
}

static bool redirect(const char *name, void **slot)
{
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, table[i].name) == 0) {
            interpreters[i] = (call *)dlsym(RTLD_DEFAULT, name);
            if (interpreters[i])
                put(slot, (void *)table[i].ours);
        }
    return true;
}

static int watch_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    told = false;
    each_slot(info, tells_accesses);
    if (told)
        each_slot(info, redirect);
    return 0;
}

void bpor_containers_watch(void)
{
    if (bpor->shared->config.gil != BPOR_GIL_NONE)
        dl_iterate_phdr(watch_module, NULL);
}
