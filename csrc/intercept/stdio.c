/* flockfile and its family, and streams over channels: their reads and writes go through ours, because libc's own would not be
 * seen. */
#define _GNU_SOURCE
#include "intercept/stdio.h"
#include "intercept/descriptor_io.h"
#include "intercept/file_use.h"
#include "intercept/random.h"
#include "loops/circle.h"
#include "reset/changes.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

static int stream_step(enum operation_kind kind, FILE *stream, const void *site)
{
    struct object *object = bpor_object(stream, BPOR_CLASS_FILE, FAMILY_STREAM);
    struct operation *op = bpor_operation(kind, site);
    bpor_touch_object(op, object, true);
    return bpor_step();
}

/* The buffer is the stream's, whoever makes it. It comes before the step, and out of sight: behind it nothing would order it
 * before the next who holds the stream. */
void _IO_doallocbuf(FILE *stream);

static void make_buffer(FILE *stream)
{
    if (stream->_IO_buf_base != NULL)
        return;
    bpor_self->shielded = true;
    _IO_doallocbuf(stream);
    bpor_self->shielded = false;
}

void bpor_stream_use(FILE *stream, const void *site)
{
    if (bpor_controlled())
        bpor_circle_output(bpor_self);
    if (stream != NULL && bpor_controlled() && bpor_streams_visible()) {
        make_buffer(stream);
        stream_step(OP_FILE_USE, stream, site);
    }
}

INTERCEPT void flockfile(FILE *stream)
{
    if (bpor_controlled())
        stream_step(OP_FILE_LOCK, stream, CALL_SITE);
    else
        REAL(flockfile)(stream);
}

INTERCEPT int ftrylockfile(FILE *stream)
{
    return bpor_controlled() ? stream_step(OP_FILE_TRYLOCK, stream, CALL_SITE) : REAL(ftrylockfile)(stream);
}

INTERCEPT void funlockfile(FILE *stream)
{
    if (bpor_controlled())
        stream_step(OP_FILE_UNLOCK, stream, CALL_SITE);
    else
        REAL(funlockfile)(stream);
}

/* The names under which old headers reach the same functions. */
void _IO_flockfile(FILE *stream);
int _IO_ftrylockfile(FILE *stream);
void _IO_funlockfile(FILE *stream);

INTERCEPT void _IO_flockfile(FILE *stream)
{
    flockfile(stream);
}

INTERCEPT int _IO_ftrylockfile(FILE *stream)
{
    return ftrylockfile(stream);
}

INTERCEPT void _IO_funlockfile(FILE *stream)
{
    funlockfile(stream);
}

/* Flushing everything takes every stream's lock, and a thread that waits inside a stdio call holds one: without locks, as exit
 * does it. Nobody else runs meanwhile. After the last step nothing can be written into a channel any more. */
extern FILE *_IO_list_all;

static int flush_all(void)
{
    int result = 0;
    for (FILE *stream = _IO_list_all; stream; stream = stream->_chain)
        if (REAL(__fpending)(stream) > 0 && !(bpor_self->shielded && bpor_channel_of(stream->_fileno)))
            result |= REAL(fflush_unlocked)(stream);
    return result;
}

INTERCEPT int fflush(FILE *stream)
{
    if (stream == NULL && bpor_self != NULL && bpor->forked) {
        for (FILE *each = _IO_list_all; each; each = each->_chain)
            if (REAL(__fpending)(each) > 0)
                bpor_stream_flush_use(each, CALL_SITE);
        return flush_all();
    }
    bpor_stream_use(stream, CALL_SITE);
    bpor_stream_flush_use(stream, CALL_SITE);
    return REAL(fflush)(stream);
}

/* ---- streams over channels ---- */

static ssize_t cookie_read(void *cookie, char *buffer, size_t count)
{
    return read((int)(intptr_t)cookie, buffer, count);
}

static ssize_t cookie_write(void *cookie, const char *buffer, size_t count)
{
    return write((int)(intptr_t)cookie, buffer, count);
}

static int cookie_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

static ssize_t random_read(void *cookie, char *buffer, size_t count)
{
    (void)cookie;
    bpor_random_fill(buffer, count);
    return (ssize_t)count;
}

static FILE *stream_over(int fd, const char *mode, cookie_io_functions_t functions)
{
    FILE *stream = fopencookie((void *)(intptr_t)fd, mode, functions);
    if (stream)
        stream->_fileno = fd; /* so that fileno answers */
    return stream;
}

INTERCEPT FILE *fdopen(int fd, const char *mode)
{
    cookie_io_functions_t functions = {.read = cookie_read, .write = cookie_write, .close = cookie_close};
    return bpor_writes_channel(fd) ? stream_over(fd, mode, functions) : REAL(fdopen)(fd, mode);
}

static bool is_random_source(const char *path)
{
    return strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

static FILE *open_random(FILE *opened, const char *mode)
{
    cookie_io_functions_t functions = {.read = random_read, .write = cookie_write, .close = cookie_close};
    if (opened == NULL)
        return NULL;
    int fd = dup(fileno(opened));
    REAL(fclose)(opened);
    return stream_over(fd, mode, functions);
}

static unsigned stream_access(const char *mode)
{
    if (mode[0] == 'r')
        return LOOKS;
    if (strchr(mode, 'x'))
        return LOOKS | CHANGES | DEPENDS;
    return mode[0] == 'a' ? LOOKS | CHANGES | KEEPS : LOOKS | CHANGES;
}

INTERCEPT FILE *fopen(const char *restrict path, const char *restrict mode)
{
    bpor_opening_use(AT_FDCWD, path, stream_access(mode), CALL_SITE);
    bpor_changes_stream(path, mode);
    FILE *opened = REAL(fopen)(bpor_kernel_path(path), mode);
    return bpor_controlled() && is_random_source(path) ? open_random(opened, mode) : opened;
}

INTERCEPT FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    bpor_opening_use(AT_FDCWD, path, stream_access(mode), CALL_SITE);
    bpor_changes_stream(path, mode);
    FILE *opened = REAL(fopen64)(bpor_kernel_path(path), mode);
    return bpor_controlled() && is_random_source(path) ? open_random(opened, mode) : opened;
}

INTERCEPT int pclose(FILE *stream)
{
    if (bpor_controlled())
        bpor_descriptor_closed(fileno(stream));
    return REAL(pclose)(stream);
}
