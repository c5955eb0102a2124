/* Which code is trusted: the controller names it by module and offset, wherever the module is loaded. This file uses general
 * registers only, because machine/quick.c calls it. */
#pragma GCC target("general-regs-only")
#define _GNU_SOURCE
#include "process/libraries.h"
#include "trust/trust.h"
#include <link.h>
#include <string.h>

enum { MOST_CODES = 1024 };

bool bpor_trusts;

static struct code {
    uintptr_t start;
    uintptr_t end;
    enum trust trust;
} codes[MOST_CODES]; /* in the order of their addresses */
static unsigned code_count;
static unsigned long long loaded;

/* `*` and `?`. */
static bool fits(const char *pattern, const char *text)
{
    if (*pattern == '*')
        return fits(pattern + 1, text) || (*text && fits(pattern, text + 1));
    if (*pattern == '\0' || *text == '\0')
        return *pattern == *text;
    return (*pattern == '?' || *pattern == *text) && fits(pattern + 1, text + 1);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add(uintptr_t start, uintptr_t end, enum trust trust)
{
    unsigned at = code_count;
    if (start >= end || code_count == MOST_CODES)
        return; /* what is not listed is explored */
    while (at > 0 && codes[at - 1].start > start) {
        codes[at] = codes[at - 1];
        at--;
    }
    codes[at] = (struct code){start, end, trust};
    code_count++;
}

static void add_module(const struct dl_phdr_info *info, enum trust trust)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_flags & PF_X)
            add(start, start + header->p_memsz, trust);
    }
}

static bool is_ours(const struct dl_phdr_info *info)
{
    uintptr_t own = (uintptr_t)&bpor_trusts - info->dlpi_addr;
    bool ours = false;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        ours |= info->dlpi_phdr[i].p_type == PT_LOAD && own - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz;
    return ours;
}

/* The program itself has no name, and is never trusted as a whole; nor are we. */
static bool may_be_whole(const struct dl_phdr_info *info)
{
    return info->dlpi_name[0] != '\0' && !is_ours(info);
}

static enum trust trust_in(const struct bpor_trusted *trusted)
{
    return trusted->independent ? TRUST_INDEPENDENT : TRUST_ATOMIC;
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct bpor_config *config = data;
    const char *name = name_of(info->dlpi_name);
    (void)size;
    loaded = info->dlpi_adds + info->dlpi_subs;
    for (unsigned i = 0; i < config->trusted_count; i++) {
        const struct bpor_trusted *trusted = &config->trusted[i];
        if (trusted->end == 0 && may_be_whole(info) && fits(trusted->module, name)) {
            add_module(info, trust_in(trusted));
            return 0;
        }
    }
    for (unsigned i = 0; i < config->trusted_count; i++) {
        const struct bpor_trusted *trusted = &config->trusted[i];
        if (trusted->end != 0 && strcmp(trusted->module, name) == 0)
            add(info->dlpi_addr + trusted->start, info->dlpi_addr + trusted->end, trust_in(trusted));
    }
    if (is_ours(info) ||
        bpor_library_is_runtime(name)) /* a function of ours stands for one of libc's, and calls back as that does */
        add_module(info, TRUST_OF_CALLER);
    return 0;
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(unsigned long long *)data = info->dlpi_adds + info->dlpi_subs;
    return 1;
}

void bpor_trust_look(void)
{
    unsigned long long now = 0;
    if (bpor == NULL || !bpor->attached || bpor->shared->config.trusted_count == 0)
        return;
    dl_iterate_phdr(count_loaded, &now);
    if (bpor_trusts && now == loaded)
        return;
    bpor_trusts = true;
    code_count = 0;
    dl_iterate_phdr(look_at_module, &bpor->shared->config);
}

/* Functions of a module that is trusted as a whole, or is a runtime, are listed before it if they begin where it does, else
 * behind. */
enum trust bpor_trust_of(uintptr_t address)
{
    unsigned low = 0, high = code_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (codes[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code_count && codes[low].start <= address ? codes[low].trust : TRUST_NONE;
}
