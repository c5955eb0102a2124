/* What the dynamic linker knows of a loaded module: its symbols, and the slots through which it reaches other modules. */
#ifndef BPOR_DYNAMIC_H
#define BPOR_DYNAMIC_H
#include <link.h>
#include <stdbool.h>
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
/* What any other module than ours defines, the first of them. */
void *bpor_dynamic_defined_by_others(const char *name);
bool bpor_dynamic_is_libcs(const void *address);
bool bpor_dynamic_same_module(const void *one, const void *other);
/* The slots (GOT) of a module that hold addresses of named functions. `visit` returns false when it has seen enough. */
typedef bool slot_visit(const char *name, void **slot, void *data);
void bpor_dynamic_each_slot(const struct dl_phdr_info *info, slot_visit *visit, void *data);
/* The same for words of its data that the loader filled with a symbol's address; the program may have changed them since. */
void bpor_dynamic_each_word(const struct dl_phdr_info *info, slot_visit *visit, void *data);
#endif
