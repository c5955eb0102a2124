/* Unwinding through a trampoline. Each blob has one unwind entry, which describes the moment when the hook is called, because a
 * trampoline is found on a stack only at that moment. From glibc 2.35 on the unwinder asks the loader for the table of an
 * address, and we answer that call. With an older glibc the entries are registered, but only while we look at a stack: while
 * entries are registered, libgcc takes a lock at every throw, and that lock would be an operation of the program. */
#include "machine/machine.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include "trust/trust.h"
#include <string.h>
#include <sys/mman.h>

enum { MOST_CODES = 64, ENTRY_BYTES = 96, OBJECT_BYTES = 64 };

void __register_frame_info(const void *begin, void *object);
void *__deregister_frame_info(const void *begin);

/* A table without an index (LSB Core, "The .eh_frame_hdr section"): version, how the address is written, nothing else. */
struct tables {
    uint8_t version, address_as, count_as, index_as;
    uint8_t entries[8];
};
enum { ABSOLUTE = 0x0c, OMITTED = 0xff };

/* As <dlfcn.h> of glibc 2.35 has it. */
struct found_object {
    uint64_t flags;
    void *start;
    void *end;
    struct link_map *module;
    void *tables;
    uint64_t reserved[7];
};
int _dl_find_object(void *address, struct found_object *result);

static struct code {
    const struct blob *blob;
    uintptr_t base;                    /* of its module */
    size_t answer;                     /* where in shared->machine its line is */
    uint64_t object[OBJECT_BYTES / 8]; /* libgcc's, for its own use */
    uint8_t entry[ENTRY_BYTES];
    struct tables tables;
} codes[MOST_CODES];
static unsigned code_count;

/* DWARF 4, 6.4. The stack pointer of the program is 216 bytes above that of the call; the address of the site lies below its red
 * zone (bpor/machine/trampolines.py). 'S': that address is where it stopped, not where it goes on. */
static const uint8_t common[] = {20, 0, 0,    0,  0, 0, 0,    0, 1,    'z', 'R',       'S',
                                 0,  1, 0x78, 16, 1, 0, 0x0c, 7, 0xd8, 1,   0x80 | 16, 17};

const struct blob *bpor_machine_overlapping(unsigned *number, uintptr_t start, uintptr_t end, uintptr_t *base, size_t *answer)
{
    while (*number < code_count) {
        const struct code *code = &codes[(*number)++];
        if (start < code->base + code->blob->text_high && end > code->base + code->blob->text_low) {
            *base = code->base;
            *answer = code->answer;
            return code->blob;
        }
    }
    return NULL;
}

void bpor_machine_add_blob(const struct blob *blob, uintptr_t base, size_t answer)
{
    if (code_count == MOST_CODES)
        return;
    struct code *code = &codes[code_count++];
    uint8_t *entry = code->entry;
    uint32_t length = 24, back = sizeof common + 4;
    uint64_t start = (uint64_t)blob + BLOB_PAGE, range = blob->code_bytes;
    code->blob = blob;
    code->base = base;
    code->answer = answer;
    memcpy(entry, common, sizeof common);
    entry += sizeof common;
    memcpy(entry, &length, 4);
    memcpy(entry + 4, &back, 4);
    memcpy(entry + 8, &start, 8);
    memcpy(entry + 16, &range, 8);
    code->tables = (struct tables){.version = 1, .address_as = ABSOLUTE, .count_as = OMITTED, .index_as = OMITTED};
    memcpy(code->tables.entries, &(uint8_t *){code->entry}, sizeof code->tables.entries);
}

bool bpor_machine_in_use(void)
{
    return code_count > 0;
}

static struct code *code_around(uintptr_t address)
{
    for (unsigned i = 0; i < code_count; i++)
        if (address - (uintptr_t)codes[i].blob - BLOB_PAGE < codes[i].blob->code_bytes)
            return &codes[i];
    return NULL;
}

const struct blob *bpor_machine_blob_around(uintptr_t address)
{
    const struct code *code = code_around(address);
    return code ? code->blob : NULL;
}

void bpor_machine_each_blob(void (*change)(struct blob *blob))
{
    for (unsigned i = 0; i < code_count; i++) {
        struct blob *blob = (struct blob *)codes[i].blob;
        size_t bytes = BLOB_PAGE + blob->code_bytes;
        if (sys_call3(SYS_mprotect, blob, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0 &&
            sys_call3(SYS_mprotect, blob, bytes, PROT_READ | PROT_WRITE) != 0)
            continue;
        change(blob);
        if (sys_call3(SYS_mprotect, blob, bytes, PROT_READ | PROT_EXEC) != 0)
            sys_exit_group(99); /* it was executable before: nothing but mprotect's own inconsistency leads here */
    }
}

INTERCEPT int _dl_find_object(void *address, struct found_object *result)
{
    struct code *code = code_around((uintptr_t)address);
    struct found_tables found;
    if (code) {
        uint8_t *start = (uint8_t *)code->blob + BLOB_PAGE;
        found = (struct found_tables){start, start + code->blob->code_bytes, &code->tables};
    } else if (!bpor_trust_tables((uintptr_t)address, &found)) {
        return REAL(_dl_find_object)(address, result);
    }
    result->flags = 0;
    result->start = found.start;
    result->end = found.end;
    result->module = NULL;
    result->tables = found.tables;
    return 0;
}

static uintptr_t group_at(const struct code *code, uint64_t offset)
{
    const struct patch *patch = (const struct patch *)((const uint8_t *)code->blob + code->blob->patches);
    const struct patch *best = NULL;
    for (uint32_t i = 0; i < code->blob->patch_count; i++)
        if (patch[i].kind != PATCH_SHORT && patch[i].target <= offset && (best == NULL || patch[i].target > best->target))
            best = &patch[i];
    if (best == NULL)
        return 0;
    uint64_t through = best->address; /* of an island: whose short jump leads there? */
    for (uint32_t i = 0; best->kind == PATCH_ISLAND && i < code->blob->patch_count; i++)
        if (patch[i].kind == PATCH_SHORT && patch[i].target == best->address)
            through = patch[i].address;
    return code->base + through;
}

uintptr_t bpor_machine_original(uintptr_t address)
{
    const struct code *code = code_around(address);
    uintptr_t group = code ? group_at(code, address - (uintptr_t)code->blob) : 0;
    return group ? group : address;
}

void bpor_machine_unwindable(bool on)
{
    if (bpor_real(REAL__dl_find_object))
        return;
    for (unsigned i = 0; i < code_count; i++)
        if (on)
            __register_frame_info(codes[i].entry, codes[i].object);
        else
            __deregister_frame_info(codes[i].entry);
}
