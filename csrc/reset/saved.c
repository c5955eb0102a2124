/* The file grows and is never cut: what is saved is saved once, at the fork point. */
#define _GNU_SOURCE
#include "reset/saved.h"
#include "process/descriptors.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { CHUNK = 16 << 10 };

static int file = -1;
static long end;

bool bpor_saved_begin(void)
{
    if (file >= 0)
        sys_call3(SYS_close, file, 0, 0);
    file = bpor_descriptor_raise(sys_call3(SYS_memfd_create, "bpor-saved", MFD_CLOEXEC, 0));
    end = 0;
    return file >= 0;
}

bool bpor_saved_has_room(size_t bytes)
{
    return bytes <= ((size_t)SAVED_LIMIT_MIB << 20) - (size_t)end;
}

struct saved bpor_saved_memory(uintptr_t start, size_t bytes)
{
    struct saved saved = {end, 0};
    while (saved.bytes < bytes) {
        long written = sys_call4(SYS_pwrite64, file, start + saved.bytes, bytes - saved.bytes, end);
        if (written == -EINTR)
            continue;
        if (written <= 0)
            break;
        saved.bytes += (size_t)written;
        end += written;
    }
    return saved;
}

bool bpor_saved_memory_back(uintptr_t start, const struct saved *saved)
{
    size_t done = 0;
    while (done < saved->bytes) {
        long got = sys_call4(SYS_pread64, file, start + done, saved->bytes - done, saved->at + (long)done);
        if (got == -EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static long read_at(int fd, uint8_t *chunk, size_t bytes, long at)
{
    size_t done = 0;
    while (done < bytes) {
        long got = sys_call4(SYS_pread64, fd, chunk + done, bytes - done, at + (long)done);
        if (got == -EINTR)
            continue;
        if (got < 0)
            return got;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (long)done;
}

bool bpor_saved_file(int fd, size_t bytes, struct saved *saved)
{
    uint8_t chunk[CHUNK];
    long got;
    *saved = (struct saved){end, 0};
    while ((got = read_at(fd, chunk, CHUNK, (long)saved->bytes)) > 0) {
        if (!bpor_saved_has_room((size_t)got) || sys_call4(SYS_pwrite64, file, chunk, got, end) != got)
            return false;
        saved->bytes += (size_t)got;
        end += got;
    }
    return got == 0 && saved->bytes == bytes;
}

static bool chunk_back(int fd, const struct saved *saved, size_t at)
{
    uint8_t wanted[CHUNK], found[CHUNK];
    size_t bytes = saved->bytes - at < CHUNK ? saved->bytes - at : CHUNK;
    if (read_at(file, wanted, bytes, saved->at + (long)at) != (long)bytes)
        return false;
    if (read_at(fd, found, bytes, (long)at) == (long)bytes && memcmp(wanted, found, bytes) == 0)
        return true;
    return sys_call4(SYS_pwrite64, fd, wanted, bytes, at) == (long)bytes;
}

bool bpor_saved_file_back(int fd, const struct saved *saved)
{
    struct stat facts;
    bool back = sys_call3(SYS_fstat, fd, &facts, 0) == 0;
    if (back && facts.st_size != (off_t)saved->bytes)
        back = sys_call3(SYS_ftruncate, fd, saved->bytes, 0) == 0;
    for (size_t at = 0; at < saved->bytes && back; at += CHUNK)
        back = chunk_back(fd, saved, at);
    return back;
}
