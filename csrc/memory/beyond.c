/* libc keeps the size of the next block right behind each one. Whoever writes over it destroys what depends on what lies there,
 * which is not the same in two processes: such an execution would not repeat itself. */
#define _GNU_SOURCE
#include "memory/memory.h"
#include "python/gil.h"
#include "runtime/objects.h"
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { WORD = sizeof(size_t), MOST_BEHIND = 3 * WORD }; /* of the word with a size, behind what the caller asked for */

/* In the heap that grows by brk, of an interpreter. Elsewhere each first write of a place would cost a look at what block it is
 * in, which programs that compute would feel. */
static bool may_be_beyond(uintptr_t address)
{
    return bpor_gil.interpreter && address >= getauxval(AT_PHDR) && address < (uintptr_t)sbrk(0);
}

/* The word with the size of the next one; 0: it does not stand where libc puts it. */
static uintptr_t end_of(const struct allocation *block)
{
    size_t bytes = bpor_libcs_size(block->start);
    return bytes >= block->size && bytes < block->size + MOST_BEHIND + WORD ? block->start + bytes : 0;
}

static const struct allocation *ends_at(uintptr_t word)
{
    for (uintptr_t back = WORD; back <= MOST_BEHIND; back += WORD) {
        const struct allocation *block = bpor_heap_find(word - back);
        if (block)
            return end_of(block) == word ? block : NULL;
    }
    return NULL;
}

static void report(const struct allocation *block, uintptr_t address, size_t bytes)
{
    struct bpor_end *end = &bpor->shared->end;
    if (bpor->fault)
        return;
    snprintf(end->message, sizeof end->message, "write beyond the end: %zu byte%s by T%u, %zd bytes into a block of %zu", bytes,
             bytes == 1 ? "" : "s", bpor_self->id, (ssize_t)(address - block->start), block->size);
    end->address = address;
    end->other_thread = BPOR_NO_THREAD;
    bpor_fault(BPOR_OUTCOME_MEMORY);
}

void bpor_beyond_check(uintptr_t address, size_t bytes)
{
    if (!may_be_beyond(address))
        return;
    const struct allocation *block = bpor_heap_find(address);
    if (block) {
        uintptr_t end = end_of(block);
        if (end && address + bytes > end)
            report(block, address, bytes);
        return;
    }
    for (uintptr_t word = address & ~(uintptr_t)(WORD - 1); word < address + bytes && word <= address + MOST_BEHIND; word += WORD)
        if ((block = ends_at(word)) != NULL) {
            report(block, address, bytes);
            return;
        }
}
