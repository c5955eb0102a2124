/* Formatted output to a descriptor: libc would write it out of our sight, so it is formatted first. */
#define _GNU_SOURCE
#include "intercept/descriptor_io.h"
#include "intercept/told.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);
int __dprintf_chk(int fd, int flag, const char *format, ...);

static long write_all(int fd, const char *text, size_t length)
{
    size_t done = 0;
    for (ssize_t written; done < length; done += (size_t)written)
        if ((written = write(fd, text + done, length - done)) < 0)
            return written;
    return (long)done;
}

static int print(int fd, const char *format, va_list arguments, const void *site)
{
    char *text;
    bpor_told_format(format, arguments, site);
    int length = vasprintf(&text, format, arguments);
    if (length < 0)
        return length;
    long written = bpor_writes_channel(fd) ? bpor_write_all(fd, text, (size_t)length, site) : write_all(fd, text, (size_t)length);
    free(text);
    return (int)written;
}

INTERCEPT int vdprintf(int fd, const char *restrict format, va_list arguments)
{
    return bpor_controlled() ? print(fd, format, arguments, CALL_SITE) : REAL(vdprintf)(fd, format, arguments);
}

INTERCEPT int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    return bpor_controlled() ? print(fd, format, arguments, CALL_SITE) : REAL(__vdprintf_chk)(fd, flag, format, arguments);
}

INTERCEPT int dprintf(int fd, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = bpor_controlled() ? print(fd, format, arguments, CALL_SITE) : REAL(vdprintf)(fd, format, arguments);
    va_end(arguments);
    return result;
}

INTERCEPT int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = bpor_controlled() ? print(fd, format, arguments, CALL_SITE) : REAL(__vdprintf_chk)(fd, flag, format, arguments);
    va_end(arguments);
    return result;
}
