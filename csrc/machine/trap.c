/* Some instructions have no room for a jump, and there is none near them. A breakpoint instruction replaces the first byte of
 * such an instruction. The signal handler only continues in the trampoline, so that no other code of ours runs inside a signal
 * frame. */
#include "carrier/signals.h"
#include "machine/machine.h"

static bool traps;

void bpor_machine_expect_traps(void)
{
    if (!traps)
        bpor_signals_install_trap();
    traps = true;
}

bool bpor_machine_traps(void)
{
    return traps;
}

/* Patches are sorted by their addresses. */
static const struct patch *patch_at(const struct blob *blob, uint64_t address)
{
    const struct patch *patch = (const struct patch *)((const uint8_t *)blob + blob->patches);
    uint32_t low = 0, high = blob->patch_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (patch[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < blob->patch_count && patch[low].address == address ? &patch[low] : NULL;
}

uintptr_t bpor_machine_trapped(uintptr_t address)
{
    uintptr_t base;
    size_t answer;
    unsigned number = 0;
    const struct blob *blob = traps ? bpor_machine_overlapping(&number, address, address + 1, &base, &answer) : NULL;
    const struct patch *patch = blob ? patch_at(blob, address - base) : NULL;
    return patch && patch->kind == PATCH_TRAP ? (uintptr_t)blob + patch->target : 0;
}
