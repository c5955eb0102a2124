#define _GNU_SOURCE
#include "process/dynamic.h"

/* libc relocates these addresses in place, the vdso's and some modules' it does not. */
static const void *at(ElfW(Addr) base, const ElfW(Dyn) * entry)
{
    ElfW(Addr) address = entry->d_un.d_ptr;
    return (const void *)(address < base ? base + address : address);
}

static void take(struct dynamic *found, ElfW(Addr) base, const ElfW(Dyn) * entry)
{
    switch (entry->d_tag) {
    case DT_SYMTAB:
        found->symbols = at(base, entry);
        break;
    case DT_STRTAB:
        found->names = at(base, entry);
        break;
    case DT_GNU_HASH:
        found->gnu_hash = at(base, entry);
        break;
    case DT_JMPREL:
        found->relocations[0] = at(base, entry);
        break;
    case DT_PLTRELSZ:
        found->count[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
    case DT_RELA:
        found->relocations[1] = at(base, entry);
        break;
    case DT_RELASZ:
        found->count[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
    }
}

static struct dynamic tables_at(const ElfW(Dyn) * entry, ElfW(Addr) base)
{
    struct dynamic found = {0};
    for (; entry && entry->d_tag != DT_NULL; entry++)
        take(&found, base, entry);
    return found;
}

struct dynamic bpor_dynamic_of(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *entry = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return tables_at(entry, info->dlpi_addr);
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* Not libc's, here and below: a sanitizer that comes before us asks for libc's functions before its own can be called. */
static bool begins(const char *text, const char *prefix)
{
    while (*prefix && *text == *prefix)
        text++, prefix++;
    return *prefix == '\0';
}

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* The table: four numbers, a filter that we do without, the first symbol of each bucket, then the hash of each symbol, whose
 * lowest bit ends its bucket. */
static void *definition(const struct dynamic *tables, ElfW(Addr) base, const char *name)
{
    if (tables->symbols == NULL || tables->names == NULL || tables->gnu_hash == NULL || tables->gnu_hash[0] == 0)
        return NULL;
    const uint32_t *head = tables->gnu_hash, first = head[1];
    const uint32_t *buckets = head + 4 + head[2] * sizeof(ElfW(Addr)) / sizeof(uint32_t), *hashes = buckets + head[0];
    uint32_t hash = gnu_hash_of(name), at = buckets[hash % head[0]];
    for (; at >= first; at++) {
        const ElfW(Sym) *symbol = &tables->symbols[at];
        if ((hashes[at - first] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            same(tables->names + symbol->st_name, name))
            return (void *)(base + symbol->st_value);
        if (hashes[at - first] & 1)
            break;
    }
    return NULL;
}

struct look {
    const void *address; /* of the module that is looked for */
    const char *name;
    void *definition;
};

static bool is_libc(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    return begins(name, "libc.so");
}

static bool lies_in(const struct dl_phdr_info *info, const void *address)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (ElfW(Addr))address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz)
            return true;
    }
    return false;
}

static int look_into(struct dl_phdr_info *info, size_t size, void *data)
{
    struct look *look = data;
    (void)size;
    if (!lies_in(info, look->address))
        return 0;
    struct dynamic tables = bpor_dynamic_of(info);
    look->definition = definition(&tables, info->dlpi_addr, look->name);
    return 1;
}

void *bpor_dynamic_defined_at(const void *address, const char *name)
{
    struct look look = {address, name, NULL};
    dl_iterate_phdr(look_into, &look);
    return look.definition;
}

/* The loader's own list, without a call of anything. */
void *bpor_dynamic_defined_by_libc(const char *name)
{
    for (const struct link_map *module = _r_debug.r_map; module; module = module->l_next)
        if (module->l_name && is_libc(module->l_name)) {
            struct dynamic tables = tables_at(module->l_ld, module->l_addr);
            return definition(&tables, module->l_addr, name);
        }
    return NULL;
}

void *bpor_dynamic_defined_by_others(const char *name)
{
    for (const struct link_map *module = _r_debug.r_map; module; module = module->l_next) {
        struct dynamic tables = tables_at(module->l_ld, module->l_addr);
        bool ours = definition(&tables, module->l_addr, "bpor_python_adopt") != NULL;
        void *found = ours ? NULL : definition(&tables, module->l_addr, name);
        if (found)
            return found;
    }
    return NULL;
}

bool bpor_dynamic_is_libcs(const void *address)
{
    const void *definition = bpor_dynamic_defined_at(address, "__libc_start_main");
    return definition != NULL && definition == bpor_dynamic_defined_by_libc("__libc_start_main");
}

struct pair {
    const void *one;
    const void *other;
};

static int has_both(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct pair *pair = data;
    (void)size;
    return lies_in(info, pair->one) && lies_in(info, pair->other);
}

bool bpor_dynamic_same_module(const void *one, const void *other)
{
    struct pair pair = {one, other};
    return dl_iterate_phdr(has_both, &pair) != 0;
}

/* Calls `visit` for every relocation of one of these two types that names a symbol and adds nothing to its address. */
static void each_of_type(const struct dl_phdr_info *info, unsigned long one, unsigned long other, slot_visit *visit, void *data)
{
    struct dynamic slots = bpor_dynamic_of(info);
    if (slots.symbols == NULL || slots.names == NULL)
        return;
    for (unsigned part = 0; part < 2; part++)
        for (size_t i = 0; i < slots.count[part]; i++) {
            const ElfW(Rela) *relocation = &slots.relocations[part][i];
            unsigned long type = ELF64_R_TYPE(relocation->r_info);
            if ((type != one && type != other) || relocation->r_addend != 0)
                continue;
            const char *name = slots.names + slots.symbols[ELF64_R_SYM(relocation->r_info)].st_name;
            if (!visit(name, (void **)(info->dlpi_addr + relocation->r_offset), data))
                return;
        }
}

void bpor_dynamic_each_slot(const struct dl_phdr_info *info, slot_visit *visit, void *data)
{
    each_of_type(info, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, visit, data);
}

void bpor_dynamic_each_word(const struct dl_phdr_info *info, slot_visit *visit, void *data)
{
    each_of_type(info, R_X86_64_64, R_X86_64_64, visit, data);
}
