/* The stdio calls that lock their stream inside libc. Where a stream can make them wait (stdio.h) each is a step that writes the
 * stream; everywhere else they pass through, and the report says that output is ordered by synchronisation only. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/stdio.h"
#include "intercept/told.h"
#include "runtime/real.h"
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define STREAM_CALL(result, name, parameters, arguments, stream, use)                                                            \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_stream_use(stream, CALL_SITE);                                                                                      \
        use;                                                                                                                     \
        return REAL(name) arguments;                                                                                             \
    }
/* `tell` is done after the call, with its answer. */
#define INPUT_CALL(result, name, parameters, arguments, stream, to, room, tell)                                                  \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        bpor_told_room(to, room, site);                                                                                          \
        bpor_stream_use(stream, site);                                                                                           \
        bpor_stream_read_use(stream, site);                                                                                      \
        result answer = REAL(name) arguments;                                                                                    \
        tell;                                                                                                                    \
        return answer;                                                                                                           \
    }
#define FILLS(buffer, bytes) bpor_told_write(buffer, (ssize_t)(bytes), site)
/* A line goes into a block that the call may exchange for a larger one. */
#define LINE_CALL(name, parameters, arguments)                                                                                   \
    INTERCEPT ssize_t name parameters                                                                                            \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        bpor_told_fill(line, sizeof *line, site);                                                                                \
        bpor_told_fill(room, sizeof *room, site);                                                                                \
        bpor_told_room(*line, *line ? *room : 0, site);                                                                          \
        bpor_stream_use(stream, site);                                                                                           \
        bpor_stream_read_use(stream, site);                                                                                      \
        ssize_t answer = REAL(name) arguments;                                                                                   \
        FILLS(*line, answer + 1);                                                                                                \
        return answer;                                                                                                           \
    }
#define TELLS(tell, use) tell, use
/* The variable that a call looks at to find its stream: the program may put another stream into it. */
#define STANDARD(stream) (bpor_told_read(&stream, sizeof stream, CALL_SITE), stream)
#define READS(stream) bpor_stream_read_use(stream, CALL_SITE)
#define WRITES(stream, bytes) bpor_stream_write_use(stream, bytes, CALL_SITE)
#define FLUSHES(stream) bpor_stream_flush_use(stream, CALL_SITE)
#define SEEKS(stream) bpor_stream_seek_use(stream, CALL_SITE)
#define LOOKS_AT(stream) bpor_stream_look_use(stream, CALL_SITE)

ssize_t __getdelim(char **line, size_t *room, int delimiter, FILE *stream);
int _IO_putc(int letter, FILE *stream);
int _IO_getc(FILE *stream);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments);
int __vprintf_chk(int flag, const char *format, va_list arguments);
int __printf_chk(int flag, const char *format, ...);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
char *__fgets_chk(char *buffer, size_t room, int count, FILE *stream);
size_t __fread_chk(void *buffer, size_t room, size_t size, size_t count, FILE *stream);
int __isoc99_vfscanf(FILE *stream, const char *format, va_list arguments);
int __isoc99_fscanf(FILE *stream, const char *format, ...);
int __isoc99_scanf(const char *format, ...);
#undef putc
#undef getc
#undef getc_unlocked
#undef putc_unlocked
#undef getchar_unlocked
#undef putchar_unlocked
#undef fwrite_unlocked
#undef fread_unlocked

STREAM_CALL(int, vfprintf, (FILE *restrict stream, const char *restrict format, va_list arguments), (stream, format, arguments),
            stream, TELLS(bpor_told_format(format, arguments, CALL_SITE), WRITES(stream, ANY_LENGTH)))
STREAM_CALL(int, __vfprintf_chk, (FILE * stream, int flag, const char *format, va_list arguments),
            (stream, flag, format, arguments), stream,
            TELLS(bpor_told_format(format, arguments, CALL_SITE), WRITES(stream, ANY_LENGTH)))
STREAM_CALL(int, vprintf, (const char *restrict format, va_list arguments), (format, arguments), STANDARD(stdout),
            TELLS(bpor_told_format(format, arguments, CALL_SITE), WRITES(stdout, ANY_LENGTH)))
STREAM_CALL(int, __vprintf_chk, (int flag, const char *format, va_list arguments), (flag, format, arguments), STANDARD(stdout),
            TELLS(bpor_told_format(format, arguments, CALL_SITE), WRITES(stdout, ANY_LENGTH)))
STREAM_CALL(int, puts, (const char *text), (text), STANDARD(stdout),
            TELLS(bpor_told_text(text, CALL_SITE), WRITES(stdout, strlen(text) + 1)))
STREAM_CALL(int, putchar, (int letter), (letter), STANDARD(stdout), WRITES(stdout, 1))
STREAM_CALL(int, fputs, (const char *restrict text, FILE *restrict stream), (text, stream), stream,
            TELLS(bpor_told_text(text, CALL_SITE), WRITES(stream, strlen(text))))
STREAM_CALL(int, fputc, (int letter, FILE *stream), (letter, stream), stream, WRITES(stream, 1))
STREAM_CALL(int, putc, (int letter, FILE *stream), (letter, stream), stream, WRITES(stream, 1))
STREAM_CALL(int, _IO_putc, (int letter, FILE *stream), (letter, stream), stream, WRITES(stream, 1))
STREAM_CALL(size_t, fwrite, (const void *restrict bytes, size_t size, size_t count, FILE *restrict stream),
            (bytes, size, count, stream), stream,
            TELLS(bpor_told_read(bytes, size *count, CALL_SITE), WRITES(stream, size *count)))
INPUT_CALL(size_t, fread, (void *restrict buffer, size_t size, size_t count, FILE *restrict stream),
           (buffer, size, count, stream), stream, buffer, size *count, FILLS(buffer, answer *size))
INPUT_CALL(size_t, __fread_chk, (void *buffer, size_t room, size_t size, size_t count, FILE *stream),
           (buffer, room, size, count, stream), stream, buffer, size *count, FILLS(buffer, answer *size))
INPUT_CALL(char *, fgets, (char *restrict buffer, int count, FILE *restrict stream), (buffer, count, stream), stream, buffer,
           (size_t)(count > 0 ? count : 0), FILLS(answer, answer ? strlen(answer) + 1 : 0))
INPUT_CALL(char *, __fgets_chk, (char *buffer, size_t room, int count, FILE *stream), (buffer, room, count, stream), stream,
           buffer, (size_t)(count > 0 ? count : 0), FILLS(answer, answer ? strlen(answer) + 1 : 0))
STREAM_CALL(int, fgetc, (FILE * stream), (stream), stream, READS(stream))
STREAM_CALL(int, getc, (FILE * stream), (stream), stream, READS(stream))
STREAM_CALL(int, _IO_getc, (FILE * stream), (stream), stream, READS(stream))
STREAM_CALL(int, getchar, (void), (), STANDARD(stdin), READS(stdin))
STREAM_CALL(int, ungetc, (int letter, FILE *stream), (letter, stream), stream, FLUSHES(stream))
STREAM_CALL(wint_t, ungetwc, (wint_t letter, FILE *stream), (letter, stream), stream, FLUSHES(stream))
LINE_CALL(getline, (char **restrict line, size_t *restrict room, FILE *restrict stream), (line, room, stream))
LINE_CALL(getdelim, (char **restrict line, size_t *restrict room, int delimiter, FILE *restrict stream),
          (line, room, delimiter, stream))
LINE_CALL(__getdelim, (char **restrict line, size_t *restrict room, int delimiter, FILE *restrict stream),
          (line, room, delimiter, stream))
STREAM_CALL(int, fclose, (FILE * stream), (stream), stream, TELLS(bpor_number_given(CALL_SITE), FLUSHES(stream)))
STREAM_CALL(int, fseek, (FILE * stream, long offset, int whence), (stream, offset, whence), stream, SEEKS(stream))
STREAM_CALL(long, ftell, (FILE * stream), (stream), stream, SEEKS(stream))
STREAM_CALL(int, fseeko, (FILE * stream, off_t offset, int whence), (stream, offset, whence), stream, SEEKS(stream))
STREAM_CALL(off_t, ftello, (FILE * stream), (stream), stream, SEEKS(stream))
STREAM_CALL(int, fseeko64, (FILE * stream, off64_t offset, int whence), (stream, offset, whence), stream, SEEKS(stream))
STREAM_CALL(off64_t, ftello64, (FILE * stream), (stream), stream, SEEKS(stream))
STREAM_CALL(int, feof, (FILE * stream), (stream), stream, LOOKS_AT(stream))
STREAM_CALL(int, ferror, (FILE * stream), (stream), stream, LOOKS_AT(stream))
STREAM_CALL(void, rewind, (FILE * stream), (stream), stream, SEEKS(stream))
STREAM_CALL(void, clearerr, (FILE * stream), (stream), stream, FLUSHES(stream))
STREAM_CALL(int, fgetpos, (FILE *restrict stream, fpos_t *restrict at), (stream, at), stream,
            TELLS(SEEKS(stream), bpor_told_fill(at, sizeof *at, CALL_SITE)))
STREAM_CALL(int, fsetpos, (FILE * stream, const fpos_t *at), (stream, at), stream,
            TELLS(bpor_told_read(at, sizeof *at, CALL_SITE), SEEKS(stream)))
STREAM_CALL(int, fgetc_unlocked, (FILE * stream), (stream), stream, READS(stream))
STREAM_CALL(int, getc_unlocked, (FILE * stream), (stream), stream, READS(stream))
STREAM_CALL(int, fputc_unlocked, (int letter, FILE *stream), (letter, stream), stream, WRITES(stream, 1))
STREAM_CALL(int, putc_unlocked, (int letter, FILE *stream), (letter, stream), stream, WRITES(stream, 1))
STREAM_CALL(int, getchar_unlocked, (void), (), STANDARD(stdin), READS(stdin))
STREAM_CALL(int, putchar_unlocked, (int letter), (letter), STANDARD(stdout), WRITES(stdout, 1))
STREAM_CALL(wint_t, fgetwc_unlocked, (FILE * stream), (stream), stream, READS(stream))
STREAM_CALL(wint_t, getwc_unlocked, (FILE * stream), (stream), stream, READS(stream))
STREAM_CALL(wint_t, fputwc_unlocked, (wchar_t letter, FILE *stream), (letter, stream), stream, WRITES(stream, MB_LEN_MAX))
STREAM_CALL(wint_t, putwc_unlocked, (wchar_t letter, FILE *stream), (letter, stream), stream, WRITES(stream, MB_LEN_MAX))
STREAM_CALL(wint_t, fgetwc, (FILE * stream), (stream), stream, READS(stream))
STREAM_CALL(wint_t, getwc, (FILE * stream), (stream), stream, READS(stream))
STREAM_CALL(wint_t, fputwc, (wchar_t letter, FILE *stream), (letter, stream), stream, WRITES(stream, MB_LEN_MAX))
STREAM_CALL(wint_t, putwc, (wchar_t letter, FILE *stream), (letter, stream), stream, WRITES(stream, MB_LEN_MAX))
STREAM_CALL(int, fputws, (const wchar_t *restrict text, FILE *restrict stream), (text, stream), stream,
            TELLS(bpor_told_read(text, (wcslen(text) + 1) * sizeof *text, CALL_SITE), WRITES(stream, ANY_LENGTH)))
STREAM_CALL(size_t, fwrite_unlocked, (const void *restrict bytes, size_t size, size_t count, FILE *restrict stream),
            (bytes, size, count, stream), stream,
            TELLS(bpor_told_read(bytes, size *count, CALL_SITE), WRITES(stream, size *count)))
STREAM_CALL(int, fputs_unlocked, (const char *restrict text, FILE *restrict stream), (text, stream), stream,
            TELLS(bpor_told_text(text, CALL_SITE), WRITES(stream, strlen(text))))
INPUT_CALL(size_t, fread_unlocked, (void *restrict buffer, size_t size, size_t count, FILE *restrict stream),
           (buffer, size, count, stream), stream, buffer, size *count, FILLS(buffer, answer *size))
INPUT_CALL(char *, fgets_unlocked, (char *restrict buffer, int count, FILE *restrict stream), (buffer, count, stream), stream,
           buffer, (size_t)(count > 0 ? count : 0), FILLS(answer, answer ? strlen(answer) + 1 : 0))
static int scan(FILE *stream, const char *format, va_list arguments, const void *site)
{
    bpor_told_scan_room(format, arguments, site);
    bpor_stream_use(stream, site);
    bpor_stream_read_use(stream, site);
    va_list stored;
    va_copy(stored, arguments);
    int values = REAL(__isoc99_vfscanf)(stream, format, arguments);
    bpor_told_scanned(format, stored, values, site);
    va_end(stored);
    return values;
}

INTERCEPT int __isoc99_vfscanf(FILE *stream, const char *format, va_list arguments)
{
    return scan(stream, format, arguments, CALL_SITE);
}

STREAM_CALL(int, setvbuf, (FILE *restrict stream, char *restrict buffer, int mode, size_t size), (stream, buffer, mode, size),
            stream, FLUSHES(stream))

/* The variadic ones go to the same function by its list of arguments. */
#define WITH_FORMAT(last, call)                                                                                                  \
    va_list arguments;                                                                                                           \
    va_start(arguments, last);                                                                                                   \
    bpor_told_format(last, arguments, CALL_SITE);                                                                                \
    int result = call;                                                                                                           \
    va_end(arguments);                                                                                                           \
    return result

INTERCEPT int printf(const char *restrict format, ...)
{
    bpor_stream_use(STANDARD(stdout), CALL_SITE);
    WRITES(stdout, ANY_LENGTH);
    WITH_FORMAT(format, REAL(vprintf)(format, arguments));
}

INTERCEPT int fprintf(FILE *restrict stream, const char *restrict format, ...)
{
    bpor_stream_use(stream, CALL_SITE);
    WRITES(stream, ANY_LENGTH);
    WITH_FORMAT(format, REAL(vfprintf)(stream, format, arguments));
}

INTERCEPT int __printf_chk(int flag, const char *format, ...)
{
    bpor_stream_use(STANDARD(stdout), CALL_SITE);
    WRITES(stdout, ANY_LENGTH);
    WITH_FORMAT(format, REAL(__vprintf_chk)(flag, format, arguments));
}

INTERCEPT int __fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    bpor_stream_use(stream, CALL_SITE);
    WRITES(stream, ANY_LENGTH);
    WITH_FORMAT(format, REAL(__vfprintf_chk)(stream, flag, format, arguments));
}

INTERCEPT int __isoc99_fscanf(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int values = scan(stream, format, arguments, CALL_SITE);
    va_end(arguments);
    return values;
}

INTERCEPT int __isoc99_scanf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int values = scan(STANDARD(stdin), format, arguments, CALL_SITE);
    va_end(arguments);
    return values;
}
