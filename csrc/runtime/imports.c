/* Looks through the undefined symbols of every loaded module. In a table with a GNU hash they stand before the first hashed one.
 */
#define _GNU_SOURCE
#include "runtime/imports.h"
#include "runtime/dynamic.h"
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static bool hasty_joins;

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
    struct dynamic tables = bpor_dynamic_of(info);
    (void)size, (void)data;
    hasty_joins |= asks_for_hasty_join(&tables);
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
