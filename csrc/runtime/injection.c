/* Which calls may be made to fail, and the step before them. Calls of the dynamic loader and of this runtime never fail: the
 * program has no error path for them. */
#define _GNU_SOURCE
#include "runtime/injection.h"
#include <errno.h>
#include <link.h>
#include <sys/auxv.h>

struct range {
    uintptr_t start;
    uintptr_t end;
};

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static struct range range_of(const ElfW(Ehdr) * header)
{
    const ElfW(Phdr) *segment = (const void *)((uintptr_t)header + header->e_phoff);
    struct range range = {(uintptr_t)header, (uintptr_t)header};
    for (unsigned i = 0; i < header->e_phnum; i++) {
        uintptr_t end = (uintptr_t)header + segment[i].p_vaddr + segment[i].p_memsz;
        if (segment[i].p_type == PT_LOAD && range.end < end)
            range.end = end;
    }
    return range;
}

static bool within(const void *site, const ElfW(Ehdr) * module)
{
    struct range range = module ? range_of(module) : (struct range){0, 0};
    return (uintptr_t)site >= range.start && (uintptr_t)site < range.end;
}

static bool is_programs(const void *site)
{
    return !within(site, &__ehdr_start) && !within(site, (const void *)getauxval(AT_BASE));
}

bool bpor_injection_step(enum bpor_fault_kind kind, enum bpor_fault_call call, const void *site)
{
    if (bpor->unexplored || bpor->performing || !is_programs(site))
        return false;
    int error = errno;
    struct operation *op = bpor_operation(OP_FAULT, site);
    op->argument = kind;
    op->value = call;
    bool fails = bpor_step() != 0;
    errno = error;
    return fails;
}

bool bpor_interrupted(enum bpor_fault_call call, const void *site)
{
    if (!bpor_injects(BPOR_FAULT_EINTR, call, site))
        return false;
    errno = EINTR;
    return true;
}

void bpor_injection_digest(struct digest *set)
{
    for (unsigned kind = 0; kind < BPOR_FAULTS; kind++)
        if (bpor->injected[kind]) {
            struct digest count = digest_of(kind);
            digest_next(&count, bpor->injected[kind]);
            digest_include(set, count);
        }
}
