#define _GNU_SOURCE
#include "intercept/told.h"
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

void bpor_told_parts(const struct iovec *parts, int count, ssize_t bytes, bpor_tell_part *tell, const void *site)
{
    if (!bpor_listens(site))
        return;
    for (int i = 0; i < count && bytes > 0; i++) {
        size_t length = parts[i].iov_len < (size_t)bytes ? parts[i].iov_len : (size_t)bytes;
        tell(parts[i].iov_base, length, site);
        bytes -= (ssize_t)length;
    }
}

/* One conversion of a format, as far as it decides which argument is taken and how much of a text is read. */
struct conversion {
    int precision; /* of a text; -1: all of it */
    unsigned longs;
    bool wide_double;
    char letter;
};

static const char *read_number(const char *at, int *number, va_list *arguments)
{
    if (*at == '*') {
        *number = va_arg(*arguments, int);
        return at + 1;
    }
    *number = 0;
    for (; isdigit((unsigned char)*at); at++)
        *number = *number * 10 + (*at - '0');
    return at;
}

static const char *read_conversion(const char *at, struct conversion *conversion, va_list *arguments)
{
    int width;
    *conversion = (struct conversion){.precision = -1};
    at += strspn(at, "-+ #0'I");
    at = read_number(at, &width, arguments);
    if (*at == '.')
        at = read_number(at + 1, &conversion->precision, arguments);
    for (; *at && strchr("hljztLq", *at); at++) {
        conversion->longs += *at == 'l' || *at == 'j' || *at == 'z' || *at == 't' || *at == 'q';
        conversion->wide_double |= *at == 'L';
    }
    conversion->letter = *at;
    return *at ? at + 1 : at;
}

static void read_text(const struct conversion *conversion, const char *text, const void *site)
{
    if (text == NULL || conversion->longs || conversion->letter == 'S')
        return;
    size_t length = conversion->precision < 0 ? strlen(text) + 1 : strnlen(text, (size_t)conversion->precision);
    bpor_plain_access(text, length, false, site);
}

/* False: an argument of unknown size, or by number; what follows cannot be found. */
static bool take_argument(const struct conversion *conversion, va_list *arguments, const void *site)
{
    switch (conversion->letter) {
    case 's':
    case 'S':
        read_text(conversion, va_arg(*arguments, const char *), site);
        return true;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'c':
    case 'C':
        if (conversion->longs)
            (void)va_arg(*arguments, long);
        else
            (void)va_arg(*arguments, int);
        return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        if (conversion->wide_double)
            (void)va_arg(*arguments, long double);
        else
            (void)va_arg(*arguments, double);
        return true;
    case 'p':
    case 'n':
        (void)va_arg(*arguments, void *);
        return true;
    case '%':
    case 'm':
        return true;
    default:
        return false;
    }
}

void bpor_told_format(const char *format, va_list given, const void *site)
{
    struct conversion conversion;
    va_list arguments;
    if (!bpor_listens(site))
        return;
    bpor_plain_access(format, strlen(format) + 1, false, site);
    va_copy(arguments, given);
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        at = read_conversion(at + 1, &conversion, &arguments);
        if (!take_argument(&conversion, &arguments, site))
            break;
    }
    va_end(arguments);
}
