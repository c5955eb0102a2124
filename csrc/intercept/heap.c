/* malloc and friends: passed on, but remembered, so that what lies in a block has a name that repeats (runtime/heap.c). */
#define _GNU_SOURCE
#include "runtime/objects.h"
#include "runtime/page.h"
#include "runtime/race.h"
#include "runtime/real.h"
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* libc's own names: usable before anything is resolved, even while dlsym itself allocates. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *block);

INTERCEPT void *malloc(size_t bytes)
{
    void *block = __libc_malloc(bytes);
    bpor_heap_allocated(block, bytes, CALL_SITE);
    return block;
}

INTERCEPT void *calloc(size_t count, size_t bytes)
{
    void *block = __libc_calloc(count, bytes);
    bpor_heap_allocated(block, count * bytes, CALL_SITE);
    return block;
}

static void give_back(void *block, const void *site)
{
    if (bpor_controlled() && bpor_quarantine(block, site))
        return;
    bpor_heap_freed(block, false);
    __libc_free(block);
}

/* A new block and the old one in quarantine, so that a late access of the old one is seen. */
static void *moved_to_a_new_block(void *block, size_t old_bytes, size_t bytes, const void *site)
{
    void *moved = __libc_malloc(bytes);
    if (moved == NULL)
        return NULL;
    bpor_heap_allocated(moved, bytes, site);
    memcpy(moved, block, bytes < old_bytes ? bytes : old_bytes);
    give_back(block, site);
    return moved;
}

INTERCEPT void *realloc(void *block, size_t bytes)
{
    size_t old_bytes = bytes && bpor_controlled() ? bpor_quarantine_wants(block) : 0;
    if (old_bytes)
        return moved_to_a_new_block(block, old_bytes, bytes, CALL_SITE);
    if (block && bytes == 0) {
        give_back(block, CALL_SITE);
        return NULL;
    }
    bpor_heap_freed(block, false);
    void *moved = __libc_realloc(block, bytes);
    bpor_heap_allocated(moved ? moved : (bytes ? block : NULL), bytes, CALL_SITE);
    return moved;
}

INTERCEPT void free(void *block)
{
    give_back(block, CALL_SITE);
}

static void *aligned(size_t alignment, size_t bytes, const void *site)
{
    void *block = __libc_memalign(alignment, bytes);
    bpor_heap_allocated(block, bytes, site);
    return block;
}

INTERCEPT void *memalign(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes, CALL_SITE);
}

INTERCEPT void *valloc(size_t bytes)
{
    return aligned(PAGE, bytes, CALL_SITE);
}

INTERCEPT void *pvalloc(size_t bytes)
{
    return aligned(PAGE, (bytes + PAGE - 1) & ~(size_t)(PAGE - 1), CALL_SITE);
}

INTERCEPT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes, CALL_SITE);
}

INTERCEPT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    void *result = aligned(alignment, bytes, CALL_SITE);
    if (result == NULL)
        return ENOMEM;
    *block = result;
    return 0;
}

/* C++ allocates through these; recorded here, a block's site is the `new` in the program, not libstdc++. */
void *_Znwm(size_t bytes);
void *_Znam(size_t bytes);

INTERCEPT void *_Znwm(size_t bytes)
{
    void *block = __libc_malloc(bytes ? bytes : 1);
    if (block == NULL)
        return REAL(_Znwm)(bytes); /* the new-handler and std::bad_alloc are the library's business */
    bpor_heap_allocated(block, bytes, CALL_SITE);
    return block;
}

INTERCEPT void *_Znam(size_t bytes)
{
    void *block = __libc_malloc(bytes ? bytes : 1);
    if (block == NULL)
        return REAL(_Znam)(bytes);
    bpor_heap_allocated(block, bytes, CALL_SITE);
    return block;
}
