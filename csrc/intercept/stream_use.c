/* What a call does to a stream of stdio, told before it is made: to the stream itself, and to its file if the buffer does not do.
 */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/stdio.h"
#include "intercept/told.h"
#include "process/untold.h"
#include "reset/guard_files.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <stddef.h>
#include <stdio_ext.h>

/* -1: of open_memstream and its like, where the field is not set. */
static int descriptor_of(const FILE *stream)
{
    enum { OF_A_FILE = 0x2000 }; /* libc's _IO_IS_FILEBUF */
    return stream->_flags & OF_A_FILE ? stream->_fileno : -1;
}

/* The stream itself: where it stands and what it holds. The order of calls on one that the tool captures shows to nobody; where
 * calls on streams are steps already, nothing is left to be told. */
static bool stream_matters(const FILE *stream)
{
    return stream != NULL && bpor_process_state_matters() && !bpor_streams_visible() &&
           !bpor_guard_is_output(descriptor_of(stream));
}

/* By setvbuf; one byte is the stream's own. */
static bool has_given_buffer(const FILE *stream)
{
    enum { GIVEN = 1 }; /* libc's _IO_USER_BUF */
    return stream->_flags & GIVEN && stream->_IO_buf_end - stream->_IO_buf_base > 1;
}

/* What macros of stdio.h look at, such as feof_unlocked. libc's own accesses are under the lock of the stream, so that they are
 * no races among themselves, and order nothing for the program. */
static void object_use(const FILE *stream, bool changes, const void *site)
{
    enum { SEEN_BY_MACROS = offsetof(FILE, _IO_buf_base) };
    if (!bpor_listens(site) || bpor_checks != CHECK_RACES)
        return;
    if (bpor_visible_place((uintptr_t)stream, SEEN_BY_MACROS))
        bpor_plain_access(stream, SEEN_BY_MACROS, changes, site);
    else
        bpor_race_atomic(bpor_self, bpor_location((uintptr_t)stream, SEEN_BY_MACROS), true, changes, __ATOMIC_RELAXED);
}

/* Whoever closes a stream frees it, so every call on one reads memory that must still be there. Where macros and calls are
 * checked for races, the use of the object says so. */
static void life_use(const FILE *stream, const void *site)
{
    bool is_checked = stream_matters(stream) && bpor_checks == CHECK_RACES;
    if (stream != NULL && !is_checked && !bpor_guard_is_output(descriptor_of(stream)))
        bpor_told_read(&stream->_flags, sizeof stream->_flags, site);
}

static void buffer_use(const FILE *stream, unsigned access, unsigned access_of_file, const void *site)
{
    life_use(stream, site);
    if (!stream_matters(stream))
        return;
    object_use(stream, access & CHANGES, site);
    if (has_given_buffer(stream))
        bpor_untold("nobody looks into a buffer that a stream was given");
    uint64_t file = bpor_contents_behind(descriptor_of(stream));
    if (file != 0 && access_of_file != 0)
        bpor_state_note(STATE_STREAMS, file, access_of_file);
    bpor_piece_use(STATE_STREAMS, (uintptr_t)stream, access, site);
}

static void file_of_stream_use(const FILE *stream, unsigned access, const void *site)
{
    int fd = descriptor_of(stream);
    if (fd >= 0)
        bpor_file_use(fd, access, site);
}

void bpor_stream_read_use(FILE *stream, const void *site)
{
    buffer_use(stream, LOOKS | CHANGES, LOOKS, site);
    if (stream != NULL && stream->_IO_read_ptr >= stream->_IO_read_end)
        file_of_stream_use(stream, LOOKS | MOVES, site);
}

void bpor_stream_write_use(FILE *stream, size_t bytes, const void *site)
{
    bool in_memory = stream != NULL && descriptor_of(stream) < 0; /* of open_memstream: whoever has the buffer looks */
    buffer_use(stream, in_memory ? LOOKS | CHANGES : CHANGES, CHANGES, site);
    if (stream != NULL && (REAL(__flbf)(stream) || REAL(__fpending)(stream) + bytes >= REAL(__fbufsize)(stream)))
        file_of_stream_use(stream, CHANGES | MOVES, site);
}

void bpor_stream_flush_use(FILE *stream, const void *site)
{
    buffer_use(stream, CHANGES, 0, site);
    if (stream != NULL && REAL(__fpending)(stream) > 0)
        file_of_stream_use(stream, CHANGES | MOVES, site);
}

void bpor_stream_seek_use(FILE *stream, const void *site)
{
    buffer_use(stream, LOOKS | CHANGES, 0, site);
    bpor_stream_flush_use(stream, site);
    if (stream != NULL)
        file_of_stream_use(stream, LOOKS | MOVES, site);
}

void bpor_stream_look_use(FILE *stream, const void *site)
{
    buffer_use(stream, LOOKS, 0, site);
}
