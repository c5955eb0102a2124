/* Accesses of the program's memory that libc makes on behalf of a call. Code whose own accesses are reported expects these to be
 * checked too. A call from any other code reports nothing, because the synchronisation that orders its accesses may not be seen
 * either. */
#ifndef BPOR_TOLD_H
#define BPOR_TOLD_H
#include "memory/instrumented.h"
#include "memory/memory.h"
#include "process/process_state.h"
#include "race/race.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>

static inline bool bpor_listens(const void *site)
{
    return bpor_checks != CHECK_NOTHING && (bpor_instrumented_code(site) || (bpor_self && bpor_self->acts_for_program));
}

/* An operation on memory, where others look at it. */
static inline void bpor_told_access(const void *at, size_t bytes, bool write, const void *site)
{
    if (bpor_states_explored() && bytes && bpor_visible_place((uintptr_t)at, bytes))
        bpor_call_touches(TOUCHES_MEMORY, site);
    bpor_plain_access(at, bytes, write, site);
}

static inline void bpor_told_read(const void *from, size_t bytes, const void *site)
{
    if (from != NULL && bpor_listens(site))
        bpor_told_access(from, bytes, false, site);
}

static inline void bpor_told_text(const char *text, const void *site)
{
    if (text != NULL && bpor_listens(site))
        bpor_told_access(text, strlen(text) + 1, false, site);
}

/* Before a call that writes all of it. */
static inline void bpor_told_fill(const void *to, size_t bytes, const void *site)
{
    if (to != NULL && bpor_listens(site))
        bpor_told_access(to, bytes, true, site);
}

/* Called before a call that may write so many bytes. At a shared place the write is an operation, which is reported before it is
 * performed. */
static inline void bpor_told_room(const void *to, size_t most, const void *site)
{
    if (to != NULL && bpor_listens(site) && bpor_visible_place((uintptr_t)to, most))
        bpor_told_access(to, most, true, site);
}

/* Called after it: the result says how much it wrote; nothing if it failed. One that failed because it must not write there would
 * write in another order of it and what forbade that. */
static inline void bpor_told_write(const void *to, ssize_t bytes, const void *site)
{
    if (bytes == -1 && errno == EFAULT)
        bytes = 1;
    if (to != NULL && bytes > 0 && bpor_listens(site) && !bpor_visible_place((uintptr_t)to, (size_t)bytes))
        bpor_told_access(to, (size_t)bytes, true, site);
}

/* What a step has found out is written where the caller wants it, if anywhere. */
static inline void bpor_told_store(void *to, const void *from, size_t bytes, const void *site)
{
    if (to == NULL)
        return;
    bpor_told_fill(to, bytes, site);
    memcpy(to, from, bytes);
}

static inline size_t bpor_vector_bytes(const struct iovec *parts, int count)
{
    size_t total = 0;
    for (int i = 0; i < count; i++)
        total += parts[i].iov_len;
    return total;
}

/* The same of each part of a vector, as far as so many bytes reach. */
typedef void bpor_tell_part(const void *start, size_t bytes, const void *site);
void bpor_told_parts(const struct iovec *parts, int count, ssize_t bytes, bpor_tell_part *tell, const void *site);

static inline void bpor_told_part_written(const void *start, size_t bytes, const void *site)
{
    bpor_told_write(start, (ssize_t)bytes, site);
}

static inline void bpor_told_vector_read(const struct iovec *parts, int count, const void *site)
{
    bpor_told_read(parts, count > 0 ? (size_t)count * sizeof *parts : 0, site);
    bpor_told_parts(parts, count, SSIZE_MAX, bpor_told_read, site);
}

static inline void bpor_told_vector_room(const struct iovec *parts, int count, const void *site)
{
    bpor_told_read(parts, count > 0 ? (size_t)count * sizeof *parts : 0, site);
    bpor_told_parts(parts, count, SSIZE_MAX, bpor_told_room, site);
}

static inline void bpor_told_vector_written(const struct iovec *parts, int count, ssize_t bytes, const void *site)
{
    bpor_told_parts(parts, count, bytes, bpor_told_part_written, site);
}

/* A write that libc makes under a lock of its own, or that every thread makes alike: no race with another one of the kind. */
void bpor_told_locked_write(const void *at, size_t bytes, const void *site);

/* Where values that are scanned from a stream go: before the call, and behind it, when it is known how many there are. */
void bpor_told_scan_room(const char *format, va_list arguments, const void *site);
void bpor_told_scanned(const char *format, va_list arguments, int values, const void *site);

/* The texts among the arguments of a format of printf. */
void bpor_told_format(const char *format, va_list arguments, const void *site);
#endif
