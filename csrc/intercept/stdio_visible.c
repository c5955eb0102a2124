/* Does the program, or a library of its own, refer to functions that let a stdio call wait? The answer is read from the
 * relocations. */
#define _GNU_SOURCE
#include "intercept/stdio.h"
#include "process/libraries.h"
#include <link.h>
#include <stdint.h>
#include <string.h>

static const char *const waiting[] = {"flockfile", "ftrylockfile", "_IO_flockfile", "_IO_ftrylockfile", "fdopen"};

struct tables {
    const char *names;
    const ElfW(Sym) * symbols;
    const ElfW(Rela) * relocations[2];
    size_t bytes[2];
};

static bool is_waiting(const char *name)
{
    for (unsigned i = 0; i < sizeof waiting / sizeof waiting[0]; i++)
        if (strcmp(name, waiting[i]) == 0)
            return true;
    return false;
}

static struct tables read_dynamic(const ElfW(Dyn) * entry)
{
    struct tables tables = {0};
    for (; entry->d_tag != DT_NULL; entry++) {
        uintptr_t value = entry->d_un.d_ptr;
        switch (entry->d_tag) {
        case DT_STRTAB:
            tables.names = (const char *)value;
            break;
        case DT_SYMTAB:
            tables.symbols = (const ElfW(Sym) *)value;
            break;
        case DT_JMPREL:
            tables.relocations[0] = (const ElfW(Rela) *)value;
            break;
        case DT_PLTRELSZ:
            tables.bytes[0] = value;
            break;
        case DT_RELA:
            tables.relocations[1] = (const ElfW(Rela) *)value;
            break;
        case DT_RELASZ:
            tables.bytes[1] = value;
            break;
        }
    }
    return tables;
}

static bool refers(const struct tables *tables)
{
    for (unsigned i = 0; i < 2 && tables->names && tables->symbols; i++)
        for (size_t at = 0; tables->relocations[i] && at < tables->bytes[i] / sizeof(ElfW(Rela)); at++) {
            size_t symbol = ELF64_R_SYM(tables->relocations[i][at].r_info);
            if (symbol && is_waiting(tables->names + tables->symbols[symbol].st_name))
                return true;
        }
    return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    if (bpor_library_is_system(info->dlpi_name))
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            struct tables tables = read_dynamic((const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
            if (refers(&tables))
                *(bool *)data = true;
        }
    return 0;
}

bool bpor_streams_visible(void)
{
    static enum { UNKNOWN, NO, YES } answer;
    if (answer == UNKNOWN) {
        bool found = false;
        dl_iterate_phdr(look, &found);
        answer = found ? YES : NO;
    }
    return answer == YES;
}
