/* Searches the undefined symbols of every loaded module. In a symbol table with a GNU hash they come before the first hashed
 * symbol. */
#define _GNU_SOURCE
#include "process/imports.h"
#include "process/dynamic.h"
#include "process/libraries.h"
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static bool hasty_joins, thread_exit, timers;

static bool is_hasty_join(const char *name)
{
    return strcmp(name, "pthread_tryjoin_np") == 0 || strcmp(name, "pthread_timedjoin_np") == 0 ||
           strcmp(name, "pthread_clockjoin_np") == 0;
}

static bool is_thread_exit(const char *name)
{
    return strcmp(name, "pthread_exit") == 0 || strcmp(name, "thrd_exit") == 0;
}

static bool is_timer(const char *name)
{
    return strcmp(name, "timerfd_create") == 0;
}

static bool is_exit(const char *name)
{
    return strcmp(name, "exit") == 0 || strcmp(name, "quick_exit") == 0 || strcmp(name, "dlopen") == 0;
}

static bool asks_for(const struct dynamic *tables, bool (*wanted)(const char *))
{
    if (tables->symbols == NULL || tables->names == NULL || tables->gnu_hash == NULL)
        return false;
    uint32_t first_hashed = tables->gnu_hash[1];
    for (uint32_t i = 1; i < first_hashed; i++)
        if (tables->symbols[i].st_shndx == SHN_UNDEF && wanted(tables->names + tables->symbols[i].st_name))
            return true;
    return false;
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct dynamic tables = bpor_dynamic_of(info);
    (void)size, (void)data;
    hasty_joins |= asks_for(&tables, is_hasty_join);
    thread_exit |= asks_for(&tables, is_thread_exit);
    timers |= asks_for(&tables, is_timer);
    return 0;
}

void bpor_imports_look(void)
{
    dl_iterate_phdr(look_at_module, NULL);
    if (dlsym(RTLD_DEFAULT, "Py_IsInitialized"))
        thread_exit = false;
}

bool bpor_imports_timers(void)
{
    return timers;
}

bool bpor_imports_hasty_joins(void)
{
    return hasty_joins;
}

bool bpor_imports_thread_exit(void)
{
    return thread_exit;
}

static int look_for_exit(struct dl_phdr_info *info, size_t size, void *data)
{
    struct dynamic tables = bpor_dynamic_of(info);
    (void)size;
    return *(bool *)data = !bpor_library_is_system(info->dlpi_name) && (tables.gnu_hash == NULL || asks_for(&tables, is_exit));
}

bool bpor_imports_exit(void)
{
    bool found = false;
    dl_iterate_phdr(look_for_exit, &found);
    return found;
}
