/* A free-threaded interpreter insists on an allocator of its own, in which blocks are not seen and have no names that repeat. The
 * garbage collector walks the heaps of that allocator. Once the collector no longer runs, new blocks can come from libc; older
 * blocks are freed by the allocator that made them. */
#define _GNU_SOURCE
#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <dlfcn.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { MEM, OBJ, DOMAINS }; /* PYMEM_DOMAIN_MEM and _OBJ, from 1 on; the raw domain is libc's already */

struct allocator { /* PyMemAllocatorEx */
    void *context;
    void *(*allocate)(void *context, size_t bytes);
    void *(*allocate_cleared)(void *context, size_t count, size_t bytes);
    void *(*resize)(void *context, void *block, size_t bytes);
    void (*give_back)(void *context, void *block);
};
static struct allocator before[DOMAINS];

void bpor_python_own_memory(void);
void bpor_python_fill_memory(void);

/* libc's blocks lie behind the program, in the one region that grows by brk. */
static bool is_libcs(const void *block)
{
    return (uintptr_t)block >= getauxval(AT_PHDR) && (uintptr_t)block < (uintptr_t)sbrk(0);
}

static void *allocate(void *domain, size_t bytes)
{
    (void)domain;
    return malloc(bytes ? bytes : 1);
}

static void *allocate_cleared(void *domain, size_t count, size_t bytes)
{
    (void)domain;
    return count && bytes ? calloc(count, bytes) : calloc(1, 1);
}

static void *resize(void *domain, void *block, size_t bytes)
{
    const struct allocator *theirs = domain;
    if (block && !is_libcs(block))
        return theirs->resize(theirs->context, block, bytes);
    return realloc(block, bytes ? bytes : 1);
}

static void give_back(void *domain, void *block)
{
    const struct allocator *theirs = domain;
    if (block && !is_libcs(block))
        theirs->give_back(theirs->context, block);
    else
        free(block);
}

INTERCEPT void bpor_python_fill_memory(void)
{
    bpor_heap_fills = true;
}

INTERCEPT void bpor_python_own_memory(void)
{
    void (*get)(int, struct allocator *) = (void (*)(int, struct allocator *))dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    void (*set)(int, struct allocator *) = (void (*)(int, struct allocator *))dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    if (!get || !set)
        return;
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    for (int i = 0; i < DOMAINS; i++) {
        get(1 + i, &before[i]);
        set(1 + i, &(struct allocator){&before[i], allocate, allocate_cleared, resize, give_back});
    }
}
