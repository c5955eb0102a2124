/* How the unwinder finds its way through a trampoline: each blob has one entry, of the moment when the hook is called, which is
 * the only one at which a trampoline can be found on a stack. It is registered only while we look: with entries registered,
 * libgcc takes a lock at every throw, which would be an operation of the program. */
#include "machine/machine.h"
#include <string.h>

enum { MOST_CODES = 64, ENTRY_BYTES = 96, OBJECT_BYTES = 64 };

void __register_frame_info(const void *begin, void *object);
void *__deregister_frame_info(const void *begin);

static struct code {
    const struct blob *blob;
    uintptr_t base;                    /* of its module */
    uint64_t object[OBJECT_BYTES / 8]; /* libgcc's, for its own use */
    uint8_t entry[ENTRY_BYTES];
} codes[MOST_CODES];
static unsigned code_count;

/* DWARF 4, 6.4. The stack pointer of the program is 216 bytes above that of the call; the address of the site lies below its red
 * zone (bpor/machine/trampolines.py). 'S': that address is where it stopped, not where it goes on. */
static const uint8_t common[] = {20, 0, 0,    0,  0, 0, 0,    0, 1,    'z', 'R',       'S',
                                 0,  1, 0x78, 16, 1, 0, 0x0c, 7, 0xd8, 1,   0x80 | 16, 17};

void bpor_machine_add_blob(const struct blob *blob, uintptr_t base)
{
    if (code_count == MOST_CODES)
        return;
    struct code *code = &codes[code_count++];
    uint8_t *entry = code->entry;
    uint32_t length = 24, back = sizeof common + 4;
    uint64_t start = (uint64_t)blob + BLOB_PAGE, range = blob->code_bytes;
    code->blob = blob;
    code->base = base;
    memcpy(entry, common, sizeof common);
    entry += sizeof common;
    memcpy(entry, &length, 4);
    memcpy(entry + 4, &back, 4);
    memcpy(entry + 8, &start, 8);
    memcpy(entry + 16, &range, 8);
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
    for (unsigned i = 0; i < code_count; i++) {
        uint64_t offset = address - (uintptr_t)codes[i].blob;
        if (offset - BLOB_PAGE < codes[i].blob->code_bytes) {
            uintptr_t group = group_at(&codes[i], offset);
            return group ? group : address;
        }
    }
    return address;
}

void bpor_machine_unwindable(bool on)
{
    for (unsigned i = 0; i < code_count; i++)
        if (on)
            __register_frame_info(codes[i].entry, codes[i].object);
        else
            __deregister_frame_info(codes[i].entry);
}
