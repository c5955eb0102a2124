/* How the unwinder finds its way through a trampoline: each blob has one entry, of the moment when the hook is called, which is
 * the only one at which a trampoline can be found on a stack. It is registered only while we look: with entries registered,
 * libgcc takes a lock at every throw, which would be an operation of the program. */
#include "machine/machine.h"
#include <string.h>

enum { MOST_CODES = 64, ENTRY_BYTES = 96, OBJECT_BYTES = 64 };

void __register_frame_info(const void *begin, void *object);
void *__deregister_frame_info(const void *begin);

static struct code {
    uint64_t object[OBJECT_BYTES / 8]; /* libgcc's, for its own use */
    uint8_t entry[ENTRY_BYTES];
} codes[MOST_CODES];
static unsigned code_count;

/* DWARF 4, 6.4. The stack pointer of the program is 216 bytes above that of the call; the address of the site lies below its red
 * zone (bpor/machine/trampolines.py). 'S': that address is where it stopped, not where it goes on. */
static const uint8_t common[] = {20, 0, 0,    0,  0, 0, 0,    0, 1,    'z', 'R',       'S',
                                 0,  1, 0x78, 16, 1, 0, 0x0c, 7, 0xd8, 1,   0x80 | 16, 17};

void bpor_machine_add_code(uintptr_t start, uintptr_t end)
{
    if (code_count == MOST_CODES)
        return;
    uint8_t *entry = codes[code_count++].entry;
    uint32_t length = 24, back = sizeof common + 4;
    uint64_t range = end - start;
    memcpy(entry, common, sizeof common);
    entry += sizeof common;
    memcpy(entry, &length, 4);
    memcpy(entry + 4, &back, 4);
    memcpy(entry + 8, &start, 8);
    memcpy(entry + 16, &range, 8);
}

void bpor_machine_unwindable(bool on)
{
    for (unsigned i = 0; i < code_count; i++)
        if (on)
            __register_frame_info(codes[i].entry, codes[i].object);
        else
            __deregister_frame_info(codes[i].entry);
}
