/* Canonical addresses: static memory by module, heap by allocation, stacks and thread-local memory by thread (protocol.h, "An
 * object's identity"). */
#define _GNU_SOURCE
#include "memory/mappings.h"
#include "race/race.h"
#include "runtime/objects.h"
#include "runtime/sys.h"
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { STACK_TOP = 0xfffff000 }; /* offsets grow with addresses, as ranges do; stacks differ in size, not in where they begin */

struct module_search {
    uintptr_t address;
    unsigned number;
    uintptr_t base;
    bool found;
};

static int match_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct module_search *search = data;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && search->address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz) {
            search->base = info->dlpi_addr;
            search->found = true;
            return 1;
        }
    }
    search->number++;
    return 0;
}

/* What was loaded at the fork point, by address: the loader's list is long, and behind a lock. The loader counts what it loads
 * and unloads since then. A place that nobody has loaded is mostly one of a mapping, and is asked for as often as any. */
enum { MAX_RANGES = 1024 };
static struct modules {
    bool complete;
    unsigned long long loaded;
    unsigned long long unloaded;
    unsigned modules;
    unsigned ranges;
    struct range {
        uintptr_t start;
        uintptr_t end;
        uintptr_t base;
        unsigned module;
    } range[MAX_RANGES]; /* sorted */
} modules;

static void add_range(struct range new)
{
    unsigned at = modules.ranges++;
    for (; at > 0 && modules.range[at - 1].start > new.start; at--)
        modules.range[at] = modules.range[at - 1];
    modules.range[at] = new;
}

static int keep_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    modules.loaded = info->dlpi_adds;
    modules.unloaded = info->dlpi_subs;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD)
            continue;
        if (modules.ranges == MAX_RANGES) {
            modules.complete = false;
            return 1;
        }
        add_range((struct range){start, start + header->p_memsz, info->dlpi_addr, modules.modules});
    }
    modules.modules++;
    return 0;
}

static int count(struct dl_phdr_info *info, size_t size, void *data)
{
    struct dl_phdr_info *counts = data;
    (void)size;
    counts->dlpi_adds = info->dlpi_adds;
    counts->dlpi_subs = info->dlpi_subs;
    return 1;
}

static const struct range *range_at(uintptr_t address)
{
    unsigned low = 0, high = modules.ranges;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (modules.range[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < modules.ranges && modules.range[low].start <= address ? &modules.range[low] : NULL;
}

/* The first of all is the program, which is never unloaded. */
bool bpor_module_of(uintptr_t address, unsigned *module, uintptr_t *offset)
{
    const struct range *range = range_at(address);
    struct module_search search = {.address = address};
    struct dl_phdr_info counts = {0};
    if (!range || range->module != 0)
        dl_iterate_phdr(count, &counts);
    if (range && (range->module == 0 || counts.dlpi_subs == modules.unloaded)) {
        *module = range->module;
        *offset = address - range->base;
        return true;
    }
    if (modules.complete && counts.dlpi_adds == modules.loaded && counts.dlpi_subs == modules.unloaded)
        return false;
    dl_iterate_phdr(match_module, &search);
    *module = search.number;
    *offset = address - search.base;
    return search.found;
}

struct module_text {
    char *at;
    char *end;
    const char *program;
};

static int write_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct module_text *text = data;
    (void)size;
    size_t room = (size_t)(text->end - text->at);
    const char *path = info->dlpi_name[0] ? info->dlpi_name : text->program; /* the program itself comes first, without a name */
    int length = snprintf(text->at, room, "%lx %s\n", (unsigned long)info->dlpi_addr, path);
    text->program = "";
    if (length < 0 || (size_t)length >= room)
        return 1;
    text->at += length;
    return 0;
}

void bpor_modules_write(char *buffer, size_t bytes)
{
    char program[BPOR_PATH_BYTES] = "";
    struct module_text text = {buffer, buffer + bytes, program};
    buffer[0] = '\0';
    sys_call3(SYS_readlink, "/proc/self/exe", program, sizeof program - 1);
    dl_iterate_phdr(write_module, &text);
    *text.at = '\0';
}

const struct thread *bpor_stack_owner(uintptr_t address)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (address >= bpor->thread[i].stack_low && address < bpor->thread[i].stack_top)
            return &bpor->thread[i];
    return NULL;
}

/* Thread-local memory of modules that were there from the start lies below the thread pointer, at the same distance in every
 * thread; behind it is room for that of some that are loaded later. Theirs is on the heap otherwise. */
enum { FARTHEST = 1 << 20, LOADED_LATER = 2048 };
static uintptr_t thread_local_bytes;

static int measure(struct dl_phdr_info *info, size_t size, void *data)
{
    uintptr_t distance = (uintptr_t)__builtin_thread_pointer() - (uintptr_t)info->dlpi_tls_data;
    (void)size;
    (void)data;
    if (info->dlpi_tls_data && distance < FARTHEST && distance > thread_local_bytes)
        thread_local_bytes = distance;
    return 0;
}

void bpor_places_prepare(void)
{
    dl_iterate_phdr(measure, NULL);
    modules.complete = true;
    modules.modules = modules.ranges = 0;
    dl_iterate_phdr(keep_module, NULL);
}

static const struct thread *owner_of_thread_local(uintptr_t address)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (bpor->thread[i].context.thread_pointer - address <= thread_local_bytes + LOADED_LATER)
            return &bpor->thread[i];
    return NULL;
}

static uint64_t name(enum bpor_object_class class, enum bpor_object_place place, uint64_t region, uint64_t offset)
{
    return (uint64_t) class << 60 | (uint64_t)place << 58 | (region & 0x3ffffff) << 32 | (offset & 0xffffffff);
}

static uint64_t heap_name(enum bpor_object_class class, const struct allocation *block, uintptr_t address, uint64_t *site)
{
    *site = block->site;
    return name(class, BPOR_PLACE_HEAP, block->region, address - block->start);
}

uint64_t bpor_stack_name(const struct thread *owner, uintptr_t address, enum bpor_object_class class)
{
    return name(class, BPOR_PLACE_STACK, bpor_mix(owner->name, 3), STACK_TOP - (owner->stack_top - address));
}

uint64_t bpor_canonical(uintptr_t address, enum bpor_object_class class, uint64_t *allocation_site)
{
    const struct thread *owner = bpor_stack_owner(address);
    if (owner)
        return bpor_stack_name(owner, address, class);
    owner = owner_of_thread_local(address);
    if (owner)
        return name(class, BPOR_PLACE_STACK, bpor_mix(owner->name, 4), STACK_TOP - (owner->context.thread_pointer - address));
    const struct allocation *allocation = bpor_heap_find(address);
    if (allocation)
        return heap_name(class, allocation, address, allocation_site);
    unsigned module;
    uintptr_t offset;
    if (bpor_module_of(address, &module, &offset))
        return name(class, BPOR_PLACE_STATIC, module, offset);
    const struct allocation *mapping = bpor_mapping_find(address);
    if (mapping)
        return heap_name(class, mapping, address, allocation_site);
    const struct allocation *freed = bpor_quarantine_find(address);
    if (freed && freed->region)
        return heap_name(class, freed, address, allocation_site);
    return name(class, BPOR_PLACE_OTHER, address >> 32, address);
}
