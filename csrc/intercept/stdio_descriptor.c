/* Formatted output to a descriptor: libc would write it out of our sight, so what goes into a channel is formatted first. */
#define _GNU_SOURCE
#include "intercept/descriptor_io.h"
#include "runtime/real.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);
int __dprintf_chk(int fd, int flag, const char *format, ...);

static int print_into_channel(int fd, const char *format, va_list arguments, const void *site)
{
    char *text;
    int length = vasprintf(&text, format, arguments);
    if (length < 0)
        return length;
    long written = bpor_write_all(fd, text, (size_t)length, site);
    free(text);
    return (int)written;
}

INTERCEPT int vdprintf(int fd, const char *restrict format, va_list arguments)
{
    return bpor_writes_channel(fd) ? print_into_channel(fd, format, arguments, CALL_SITE) : REAL(vdprintf)(fd, format, arguments);
}

INTERCEPT int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    return bpor_writes_channel(fd) ? print_into_channel(fd, format, arguments, CALL_SITE)
                                   : REAL(__vdprintf_chk)(fd, flag, format, arguments);
}

INTERCEPT int dprintf(int fd, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result =
        bpor_writes_channel(fd) ? print_into_channel(fd, format, arguments, CALL_SITE) : REAL(vdprintf)(fd, format, arguments);
    va_end(arguments);
    return result;
}

INTERCEPT int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = bpor_writes_channel(fd) ? print_into_channel(fd, format, arguments, CALL_SITE)
                                         : REAL(__vdprintf_chk)(fd, flag, format, arguments);
    va_end(arguments);
    return result;
}
