#include "process/shared_waits.h"
#include "model/named_semaphore.h"
#include "process/family.h"
#include "process/maps.h"
#include "runtime/objects.h"
#include "runtime/runtime.h"

static bool has_relatives(void)
{
    return bpor_family_had_children() || bpor->shared->config.family;
}

/* A named semaphore lies in the memory of all who open it. */
static bool is_shared(const struct maps *maps, uintptr_t address)
{
    if (bpor_name_of((const sem_t *)address) != NULL)
        return true;
    for (unsigned i = 0; i < maps->count; i++)
        if (address >= maps->map[i].start && address < maps->map[i].end)
            return maps->map[i].shared;
    return false;
}

bool bpor_waits_for_other_process(void)
{
    const struct maps *maps = has_relatives() ? bpor_maps_now() : NULL;
    for (unsigned i = 0; maps && i < bpor->threads; i++) {
        const struct thread *thread = &bpor->thread[i];
        if (thread->state == THREAD_WAITING && thread->op.object && is_shared(maps, thread->op.object->address))
            return true;
    }
    return false;
}
