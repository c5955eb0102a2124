/* Looks through the undefined symbols of every loaded module. In a table with a GNU hash they stand before the first hashed one.
 */
#define _GNU_SOURCE
#include "runtime/imports.h"
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static bool hasty_joins;

struct dynamic {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *gnu_hash;
};

/* libc relocates these addresses in place, the vdso's and some modules' it does not. */
static const void *at(const struct dl_phdr_info *info, ElfW(Addr) address)
{
    return (const void *)(address < info->dlpi_addr ? info->dlpi_addr + address : address);
}

static struct dynamic tables_of(const struct dl_phdr_info *info, const ElfW(Dyn) * entry)
{
    struct dynamic found = {0};
    for (; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            found.symbols = at(info, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_STRTAB)
            found.names = at(info, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_GNU_HASH)
            found.gnu_hash = at(info, entry->d_un.d_ptr);
    }
    return found;
}

static bool is_hasty_join(const char *name)
{
    return strcmp(name, "pthread_tryjoin_np") == 0 || strcmp(name, "pthread_timedjoin_np") == 0 ||
           strcmp(name, "pthread_clockjoin_np") == 0;
}

static bool asks_for_hasty_join(const struct dynamic *tables)
{
    if (tables->symbols == NULL || tables->names == NULL || tables->gnu_hash == NULL)
        return false;
    uint32_t first_hashed = tables->gnu_hash[1];
    for (uint32_t i = 1; i < first_hashed; i++)
        if (tables->symbols[i].st_shndx == SHN_UNDEF && is_hasty_join(tables->names + tables->symbols[i].st_name))
            return true;
    return false;
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            struct dynamic tables = tables_of(info, (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
            hasty_joins |= asks_for_hasty_join(&tables);
        }
    return 0;
}

void bpor_imports_look(void)
{
    dl_iterate_phdr(look_at_module, NULL);
}

bool bpor_imports_hasty_joins(void)
{
    return hasty_joins;
}
