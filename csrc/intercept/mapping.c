/* mmap and its family are passed on. When memory is unmapped, what is known about it is forgotten; memory that is newly mapped
 * was accessed by nobody, whatever had its addresses before.
 *
 * Allocators call these functions while they initialise themselves, also from inside dlsym. So before control begins no real
 * function is looked up: the system call is made directly. */
#define _GNU_SOURCE
#include "arch/x86_64/page.h"
#include "intercept/mapped_file.h"
#include "intercept/told.h"
#include "machine/filter.h"
#include "machine/machine.h"
#include "memory/mappings.h"
#include "process/aliases.h"
#include "process/loaded.h"
#include "process/maps.h"
#include "process/process_state.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

static void *answered(long result)
{
    if (result >= 0 || result < -PAGE)
        return (void *)result;
    errno = (int)-result;
    return MAP_FAILED;
}

/* Also before control begins: an allocator may have all of its memory where no other is. */
static void *found(void *start, size_t bytes)
{
    if (start != MAP_FAILED)
        bpor_filter_new_memory((uintptr_t)start, bytes);
    return start;
}

static void *map(void *wanted, size_t bytes, int protection, int flags, int fd, off_t offset, const void *site)
{
    if (protection & PROT_EXEC)
        bpor_loaded_made_code();
    if (bpor_self == NULL)
        return found(answered(sys_call6(SYS_mmap, (long)wanted, (long)bytes, protection, flags, fd, offset)), bytes);
    bool watched = bpor_controlled();
    bpor_piece_use(STATE_SETTINGS, ADDRESS_SPACE, CHANGES, site);
    if (watched && flags & MAP_FIXED && (flags & MAP_FIXED_NOREPLACE) != MAP_FIXED_NOREPLACE)
        bpor_mapping_ends((uintptr_t)wanted, bytes, site);
    void *start = found(REAL(mmap)(wanted, bytes, protection, flags, fd, offset), bytes);
    if (watched && start != MAP_FAILED)
        bpor_mapping_begins((uintptr_t)start, bytes, site);
    if (watched && flags & MAP_SHARED && fd >= 0) {
        bpor_aliases_look();
        if (start != MAP_FAILED)
            bpor_file_mapped((uintptr_t)start, bytes, fd, offset);
    }
    return start;
}

INTERCEPT void *mmap(void *wanted, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return map(wanted, bytes, protection, flags, fd, offset, CALL_SITE);
}

INTERCEPT void *mmap64(void *wanted, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return map(wanted, bytes, protection, flags, fd, offset, CALL_SITE);
}

INTERCEPT int munmap(void *start, size_t bytes)
{
    if (bpor_self == NULL)
        return answered(sys_call3(SYS_munmap, start, bytes, 0)) == MAP_FAILED ? -1 : 0;
    if (bpor_controlled()) {
        bpor_piece_use(STATE_SETTINGS, ADDRESS_SPACE, CHANGES, CALL_SITE);
        bpor_mapping_ends((uintptr_t)start, bytes, CALL_SITE);
        bpor_file_unmapped((uintptr_t)start, bytes);
    }
    return REAL(munmap)(start, bytes);
}

/* A change of the permission to write concerns writers only, so it is a read of the memory, which conflicts with writes. A change
 * of the permission to read concerns every thread. If the permissions stay the same, nothing is reported. */
static void tell_protection(uintptr_t start, size_t bytes, int protection, const void *site)
{
    const struct maps *maps = bpor_maps_now();
    for (unsigned i = 0; maps && i < maps->count; i++) {
        const struct map *map = &maps->map[i];
        uintptr_t low = map->start > start ? map->start : start;
        uintptr_t high = map->end < start + bytes ? map->end : start + bytes;
        int changed = map->protection ^ protection;
        if (low < high && changed & PROT_READ)
            bpor_told_fill((const void *)low, high - low, site);
        else if (low < high && changed & PROT_WRITE)
            bpor_told_read((const void *)low, high - low, site);
    }
}

static void about_to_protect(void *start, size_t bytes, int protection, const void *site)
{
    bpor_piece_use(STATE_SETTINGS, ADDRESS_SPACE, CHANGES, site);
    if (protection & PROT_WRITE)
        bpor_machine_writable((uintptr_t)start, bytes);
    if (protection & PROT_EXEC)
        bpor_loaded_made_code();
    if (bpor_controlled() && bpor->threads > 1 && bpor_listens(site))
        tell_protection((uintptr_t)start, bytes, protection, site);
}

INTERCEPT int mprotect(void *start, size_t bytes, int protection)
{
    about_to_protect(start, bytes, protection, CALL_SITE);
    if (bpor_self == NULL)
        return answered(sys_call3(SYS_mprotect, start, bytes, protection)) == MAP_FAILED ? -1 : 0;
    return REAL(mprotect)(start, bytes, protection);
}

INTERCEPT int pkey_mprotect(void *start, size_t bytes, int protection, int key)
{
    about_to_protect(start, bytes, protection, CALL_SITE);
    return answered(sys_call4(SYS_pkey_mprotect, start, bytes, protection, key)) == MAP_FAILED ? -1 : 0;
}

/* Pages that are given back are blank afterwards: a write of all of them. */
INTERCEPT int madvise(void *start, size_t bytes, int advice)
{
    if (bpor_self == NULL)
        return answered(sys_call3(SYS_madvise, start, bytes, advice)) == MAP_FAILED ? -1 : 0;
    if (advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE)
        bpor_told_fill(start, bytes, CALL_SITE);
    return REAL(madvise)(start, bytes, advice);
}

/* What stays where it was keeps its past. */
static void moved(uintptr_t old, size_t old_bytes, uintptr_t new, size_t bytes, const void *site)
{
    size_t kept = new != old ? 0 : old_bytes < bytes ? old_bytes : bytes;
    bpor_mapping_begins(new + kept, bytes - kept, site);
}

INTERCEPT void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    void *wanted = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    if (bpor_self == NULL)
        return found(answered(sys_call6(SYS_mremap, (long)old, (long)old_bytes, (long)bytes, flags, (long)wanted, 0)), bytes);
    bool watched = bpor_controlled();
    if (watched && flags & MREMAP_FIXED)
        bpor_mapping_ends((uintptr_t)wanted, bytes, CALL_SITE);
    if (watched && (flags & MREMAP_MAYMOVE || bytes < old_bytes)) {
        size_t stays = flags & MREMAP_MAYMOVE ? 0 : bytes; /* whether it moves is not known before */
        bpor_mapping_ends((uintptr_t)old + stays, old_bytes - stays, CALL_SITE);
    }
    void *start = found(REAL(mremap)(old, old_bytes, bytes, flags, wanted), bytes);
    if (watched && start != MAP_FAILED)
        moved((uintptr_t)old, old_bytes, (uintptr_t)start, bytes, CALL_SITE);
    if (watched && old_bytes == 0) /* a second mapping of what is shared */
        bpor_aliases_look();
    return start;
}

INTERCEPT void *shmat(int identity, const void *wanted, int flags)
{
    struct shmid_ds facts;
    if (flags & SHM_EXEC)
        bpor_loaded_made_code();
    void *start = found(REAL(shmat)(identity, wanted, flags), 1);
    if (start != MAP_FAILED && bpor_controlled() && sys_call3(SYS_shmctl, identity, IPC_STAT, &facts) == 0)
        bpor_mapping_begins((uintptr_t)start, facts.shm_segsz, CALL_SITE);
    if (bpor_controlled())
        bpor_aliases_look();
    return start;
}
