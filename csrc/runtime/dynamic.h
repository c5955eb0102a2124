/* What the dynamic linker knows of a loaded module: its symbols, and the slots through which it reaches other modules. */
#ifndef BPOR_DYNAMIC_H
#define BPOR_DYNAMIC_H
#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct dynamic {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *gnu_hash;
    const ElfW(Rela) * relocations[2]; /* of functions called, of everything else */
    size_t count[2];
};

/* A module without a table has NULL there. */
struct dynamic bpor_dynamic_of(const struct dl_phdr_info *info);
/* What the module around an address, or libc, defines under a name; NULL: nothing. */
void *bpor_dynamic_defined_at(const void *address, const char *name);
void *bpor_dynamic_defined_by_libc(const char *name);
#endif
