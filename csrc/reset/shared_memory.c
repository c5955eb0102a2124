/* Mappings that are shared and could be written, also by a program that has taken its permission away for the time being. */
#define _GNU_SOURCE
#include "arch/x86_64/page.h"
#include "process/maps.h"
#include "reset/saved.h"
#include "reset/shared_state.h"
#include "runtime/sys.h"
#include <errno.h>
#include <sys/mman.h>

enum { MAX_SHARED = 256, BOTH = PROT_READ | PROT_WRITE };

static struct kept {
    uintptr_t start;
    size_t bytes;
    int protection;
    struct saved contents;
} kept[MAX_SHARED];
static unsigned count;

static long protect(uintptr_t start, size_t bytes, int protection)
{
    return sys_call3(SYS_mprotect, start, bytes, protection);
}

/* Memory of a device or of the kernel is changed by more than writes of the program. */
static bool is_plain_memory(const struct map *map)
{
    return map->path == MAP_OF_FILE || map->path == MAP_OF_MEMORY;
}

static const char *take(const struct map *map)
{
    size_t bytes = map->end - map->start;
    if (!map->shared || map->ours || map->special)
        return NULL;
    long error = map->writable ? 0 : protect(map->start, bytes, BOTH);
    if (error == -EACCES || error == -EPERM)
        return NULL; /* of a file that is open to be read, or sealed: nobody writes through it */
    const char *problem = NULL;
    if (error || !is_plain_memory(map))
        problem = "memory of a device or of the kernel is mapped, which all executions share";
    else if (count == MAX_SHARED)
        problem = "more than 256 mappings are shared by all executions";
    else if (!bpor_saved_has_room(bytes))
        problem = bpor_shared_say("more than %d MiB of memory and files are shared by all executions", SAVED_LIMIT_MIB);
    else
        kept[count++] = (struct kept){map->start, bytes, map->protection, bpor_saved_memory(map->start, bytes)};
    if (!map->writable)
        protect(map->start, bytes, map->protection);
    return problem;
}

const char *bpor_shared_memory_take(void)
{
    const char *problem = NULL;
    const struct maps *maps = bpor_maps_now();
    if (maps == NULL)
        return "/proc/self/maps cannot be read";
    count = 0;
    for (unsigned i = 0; i < maps->count && !problem; i++)
        problem = take(&maps->map[i]);
    return problem;
}

const char *bpor_shared_memory_put_back(void)
{
    for (unsigned i = 0; i < count; i++) {
        const struct kept *one = &kept[i];
        bool readable = (one->protection & BOTH) == BOTH;
        if (!readable)
            protect(one->start, one->bytes, BOTH);
        bool back = bpor_saved_memory_back(one->start, &one->contents);
        if (!readable)
            protect(one->start, one->bytes, one->protection);
        if (!back)
            return "an execution cut the file behind a shared mapping";
    }
    return NULL;
}
