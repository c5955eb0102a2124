/* Formatted output into memory of the program. */
#define _GNU_SOURCE
#include "intercept/told.h"
#include "runtime/real.h"
#include <stdio.h>

int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list arguments);
int __vsnprintf_chk(char *to, size_t bytes, int flag, size_t room, const char *format, va_list arguments);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
int __snprintf_chk(char *to, size_t bytes, int flag, size_t room, const char *format, ...);

/* What will be written, where it matters before it is. */
static void about_to_print(char *to, size_t room, const char *format, va_list given, const void *site)
{
    va_list arguments;
    bpor_told_format(format, given, site);
    if (to == NULL || room == 0 || !bpor_listens(site) || !bpor_visible_place((uintptr_t)to, 1))
        return;
    va_copy(arguments, given);
    int length = REAL(vsnprintf)(NULL, 0, format, arguments);
    va_end(arguments);
    size_t bytes = length < 0 ? 1 : (size_t)length + 1;
    bpor_told_room(to, bytes < room ? bytes : room, site);
}

/* What was written: the text and its end, as far as there was room. */
static int printed(int length, char *to, size_t room, const void *site)
{
    size_t bytes = length < 0 ? 0 : (size_t)length + 1;
    bpor_told_write(to, (ssize_t)(bytes < room ? bytes : room), site);
    return length;
}

static int print_into(char *to, size_t room, const char *format, va_list arguments, const void *site)
{
    about_to_print(to, room, format, arguments, site);
    return printed(REAL(vsnprintf)(to, room, format, arguments), to, room, site);
}

static int print_all_into(char *to, const char *format, va_list arguments, const void *site)
{
    about_to_print(to, SIZE_MAX, format, arguments, site);
    return printed(REAL(vsprintf)(to, format, arguments), to, SIZE_MAX, site);
}

static int print_into_checked(char *to, size_t bytes, int flag, size_t room, const char *format, va_list arguments,
                              const void *site)
{
    about_to_print(to, bytes, format, arguments, site);
    return printed(REAL(__vsnprintf_chk)(to, bytes, flag, room, format, arguments), to, bytes, site);
}

static int print_all_into_checked(char *to, int flag, size_t room, const char *format, va_list arguments, const void *site)
{
    about_to_print(to, room, format, arguments, site);
    return printed(REAL(__vsprintf_chk)(to, flag, room, format, arguments), to, room, site);
}

#define WITH_LIST(call)                                                                                                          \
    va_list arguments;                                                                                                           \
    va_start(arguments, format);                                                                                                 \
    int length = call;                                                                                                           \
    va_end(arguments);                                                                                                           \
    return length

INTERCEPT int vsnprintf(char *restrict to, size_t room, const char *restrict format, va_list arguments)
{
    return print_into(to, room, format, arguments, CALL_SITE);
}

INTERCEPT int vsprintf(char *restrict to, const char *restrict format, va_list arguments)
{
    return print_all_into(to, format, arguments, CALL_SITE);
}

INTERCEPT int snprintf(char *restrict to, size_t room, const char *restrict format, ...)
{
    WITH_LIST(print_into(to, room, format, arguments, CALL_SITE));
}

INTERCEPT int sprintf(char *restrict to, const char *restrict format, ...)
{
    WITH_LIST(print_all_into(to, format, arguments, CALL_SITE));
}

INTERCEPT int __vsnprintf_chk(char *to, size_t bytes, int flag, size_t room, const char *format, va_list arguments)
{
    return print_into_checked(to, bytes, flag, room, format, arguments, CALL_SITE);
}

INTERCEPT int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list arguments)
{
    return print_all_into_checked(to, flag, room, format, arguments, CALL_SITE);
}

INTERCEPT int __snprintf_chk(char *to, size_t bytes, int flag, size_t room, const char *format, ...)
{
    WITH_LIST(print_into_checked(to, bytes, flag, room, format, arguments, CALL_SITE));
}

INTERCEPT int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
{
    WITH_LIST(print_all_into_checked(to, flag, room, format, arguments, CALL_SITE));
}

/* ---- into a block that the call makes ---- */

int __vasprintf_chk(char **to, int flag, const char *format, va_list arguments);
int __asprintf_chk(char **to, int flag, const char *format, ...);

static int print_new(char **to, const char *format, va_list arguments, const void *site)
{
    bpor_told_format(format, arguments, site);
    bpor_told_fill(to, sizeof *to, site);
    return REAL(vasprintf)(to, format, arguments);
}

INTERCEPT int vasprintf(char **restrict to, const char *restrict format, va_list arguments)
{
    return print_new(to, format, arguments, CALL_SITE);
}

INTERCEPT int __vasprintf_chk(char **to, int flag, const char *format, va_list arguments)
{
    (void)flag;
    return print_new(to, format, arguments, CALL_SITE);
}

INTERCEPT int asprintf(char **restrict to, const char *restrict format, ...)
{
    WITH_LIST(print_new(to, format, arguments, CALL_SITE));
}

INTERCEPT int __asprintf_chk(char **to, int flag, const char *format, ...)
{
    (void)flag;
    WITH_LIST(print_new(to, format, arguments, CALL_SITE));
}
