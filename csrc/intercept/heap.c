/* malloc and its family: the calls are passed on and recorded, so that an object in a block has a name that repeats
 * (memory/heap.c). */
#define _GNU_SOURCE
#include "arch/x86_64/page.h"
#include "intercept/told.h"
#include "race/race.h"
#include "runtime/injection.h"
#include "runtime/objects.h"
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

/* NULL for no bytes is an answer, not a failure. */
static bool fails(enum bpor_fault_call call, size_t bytes, const void *site)
{
    bool asked = bpor_self && bpor_self->allocation_fails;
    if (asked)
        bpor_self->allocation_fails = false;
    else if (bytes == 0 || !bpor_injects(BPOR_FAULT_MALLOC, call, site))
        return false;
    errno = ENOMEM;
    return true;
}

bool bpor_heap_fills;

/* The first part of it: where a block is large, filling it would write pages that the program does not. */
static void fill(void *block, size_t from, size_t bytes)
{
    enum { FILLING = 0xa5, MOST = 4096 };
    if (bpor_heap_fills && block && from < bytes)
        memset((char *)block + from, FILLING, bytes - from < MOST ? bytes - from : MOST);
}

INTERCEPT void *malloc(size_t bytes)
{
    if (fails(BPOR_CALL_MALLOC, bytes, CALL_SITE))
        return NULL;
    void *block = __libc_malloc(bytes);
    fill(block, 0, bytes);
    bpor_heap_allocated(block, bytes, CALL_SITE);
    return block;
}

INTERCEPT void *calloc(size_t count, size_t bytes)
{
    if (fails(BPOR_CALL_CALLOC, count ? bytes : 0, CALL_SITE))
        return NULL;
    void *block = __libc_calloc(count, bytes);
    bpor_heap_allocated(block, count * bytes, CALL_SITE);
    return block;
}

static void give_back(void *block, const void *site)
{
    if (bpor_controlled() && block) {
        bpor_quarantine_drain();
        if (bpor_quarantine(block, site))
            return;
    }
    bpor_heap_freed(block, false);
    __libc_free(block);
}

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* A new block and the old one in quarantine, so that a late access of the old one is seen. */
static void *moved_to_a_new_block(void *block, size_t old_bytes, size_t bytes, const void *site)
{
    void *moved = __libc_malloc(bytes);
    if (moved == NULL)
        return NULL;
    bpor_heap_allocated(moved, bytes, site);
    fill(moved, old_bytes, bytes);
    memcpy(moved, block, smaller(bytes, old_bytes));
    give_back(block, site);
    return moved;
}

INTERCEPT void *realloc(void *block, size_t bytes)
{
    if (fails(BPOR_CALL_REALLOC, bytes, CALL_SITE))
        return NULL;
    if (block && bytes && bpor_controlled()) /* what is in it may move */
        bpor_told_read(block, smaller(malloc_usable_size(block), bytes), CALL_SITE);
    size_t old_bytes = bytes && bpor_controlled() ? bpor_quarantine_wants(block) : 0;
    if (old_bytes)
        return moved_to_a_new_block(block, old_bytes, bytes, CALL_SITE);
    if (block && bytes == 0) {
        give_back(block, CALL_SITE);
        return NULL;
    }
    bpor_heap_freed(block, false);
    size_t room = block ? malloc_usable_size(block) : 0;
    void *moved = __libc_realloc(block, bytes);
    fill(moved, room, bytes);
    bpor_heap_allocated(moved ? moved : (bytes ? block : NULL), bytes, CALL_SITE);
    return moved;
}

INTERCEPT void free(void *block)
{
    give_back(block, CALL_SITE);
}

static void *aligned(size_t alignment, size_t bytes, enum bpor_fault_call call, const void *site)
{
    if (fails(call, bytes, site))
        return NULL;
    void *block = __libc_memalign(alignment, bytes);
    fill(block, 0, bytes);
    bpor_heap_allocated(block, bytes, site);
    return block;
}

INTERCEPT void *memalign(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes, BPOR_CALL_ALIGNED_ALLOC, CALL_SITE);
}

INTERCEPT void *valloc(size_t bytes)
{
    return aligned(PAGE, bytes, BPOR_CALL_ALIGNED_ALLOC, CALL_SITE);
}

INTERCEPT void *pvalloc(size_t bytes)
{
    return aligned(PAGE, (bytes + PAGE - 1) & ~(size_t)(PAGE - 1), BPOR_CALL_ALIGNED_ALLOC, CALL_SITE);
}

INTERCEPT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes, BPOR_CALL_ALIGNED_ALLOC, CALL_SITE);
}

INTERCEPT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    int error = errno;
    void *result = aligned(alignment, bytes, BPOR_CALL_POSIX_MEMALIGN, CALL_SITE);
    errno = error; /* which it leaves alone */
    if (result == NULL)
        return ENOMEM;
    bpor_told_store(block, &result, sizeof result, CALL_SITE);
    return 0;
}

/* C++ allocates through these; recorded here, a block's site is the `new` in the program, not libstdc++. */
void *_Znwm(size_t bytes);
void *_Znam(size_t bytes);

/* The library's own, which asks malloc and is told no: the new-handler and std::bad_alloc are its business. Found only now: many
 * a `new` is in a constructor, where it would be too early. */
static void *new_by_library(size_t bytes, enum real_function function)
{
    void *(*library)(size_t) = bpor_real(function);
    return library(bytes);
}

static void *new_block(size_t bytes, enum real_function function, const void *site)
{
    if (bpor_injects(BPOR_FAULT_MALLOC, BPOR_CALL_NEW, site)) {
        bpor_self->allocation_fails = true;
        return new_by_library(bytes, function);
    }
    void *block = __libc_malloc(bytes ? bytes : 1);
    if (block == NULL)
        return new_by_library(bytes, function);
    fill(block, 0, bytes);
    bpor_heap_allocated(block, bytes, site);
    return block;
}

INTERCEPT void *_Znwm(size_t bytes)
{
    return new_block(bytes, REAL__Znwm, CALL_SITE);
}

INTERCEPT void *_Znam(size_t bytes)
{
    return new_block(bytes, REAL__Znam, CALL_SITE);
}
