#define _GNU_SOURCE
#include "runtime/dynamic.h"

/* libc relocates these addresses in place, the vdso's and some modules' it does not. */
static const void *at(const struct dl_phdr_info *info, const ElfW(Dyn) * entry)
{
    ElfW(Addr) address = entry->d_un.d_ptr;
    return (const void *)(address < info->dlpi_addr ? info->dlpi_addr + address : address);
}

static void take(struct dynamic *found, const struct dl_phdr_info *info, const ElfW(Dyn) * entry)
{
    switch (entry->d_tag) {
    case DT_SYMTAB:
        found->symbols = at(info, entry);
        break;
    case DT_STRTAB:
        found->names = at(info, entry);
        break;
    case DT_GNU_HASH:
        found->gnu_hash = at(info, entry);
        break;
    case DT_JMPREL:
        found->relocations[0] = at(info, entry);
        break;
    case DT_PLTRELSZ:
        found->count[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
    case DT_RELA:
        found->relocations[1] = at(info, entry);
        break;
    case DT_RELASZ:
        found->count[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
    }
}

struct dynamic bpor_dynamic_of(const struct dl_phdr_info *info)
{
    struct dynamic found = {0};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++)
            take(&found, info, entry);
    }
    return found;
}
