#define _GNU_SOURCE
#include "intercept/told.h"
#include "process/untold.h"
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
    int position;  /* of its argument, from 1; 0: the next */
    int precision; /* of a text; -1: all of it */
    int shorts;
    unsigned longs;
    bool wide_double;
    char letter;
};

/* What an argument is passed as; that of a position is known only if those before it are. */
enum passed { AS_NOTHING, AS_INT, AS_LONG, AS_POINTER, AS_DOUBLE, AS_LONG_DOUBLE };
enum { MOST_POSITIONS = 16 };

struct arguments {
    va_list *list; /* NULL: by position, from the values */
    unsigned char passed[MOST_POSITIONS + 1];
    uintptr_t value[MOST_POSITIONS + 1]; /* of those that are no floating point numbers */
};

static int next_int(struct arguments *arguments)
{
    return arguments->list ? va_arg(*arguments->list, int) : 0;
}

static int digits_of(const char **at)
{
    int number = 0;
    for (; isdigit((unsigned char)**at) && number < 1 << 20; ++*at)
        number = number * 10 + (**at - '0');
    return number;
}

/* `12$`; 0: there is none. */
static int position_of(const char **at)
{
    const char *digits = *at;
    int number = digits_of(&digits);
    if (number == 0 || *digits != '$')
        return 0;
    *at = digits + 1;
    return number;
}

/* A width or a precision: a number, an argument, or the argument of a position. */
static const char *read_number(const char *at, int *number, struct arguments *arguments)
{
    if (*at != '*') {
        *number = digits_of(&at);
        return at;
    }
    at++;
    int position = position_of(&at);
    if (position == 0)
        *number = next_int(arguments);
    else if (position <= MOST_POSITIONS) {
        arguments->passed[position] = AS_INT;
        *number = (int)arguments->value[position];
    }
    return at;
}

static const char *read_conversion(const char *at, struct conversion *conversion, struct arguments *arguments)
{
    int width = 0;
    *conversion = (struct conversion){.precision = -1};
    conversion->position = position_of(&at);
    at += strspn(at, "-+ #0'I");
    at = read_number(at, &width, arguments);
    if (*at == '.')
        at = read_number(at + 1, &conversion->precision, arguments);
    for (; *at && strchr("hljztLq", *at); at++) {
        conversion->longs += *at == 'l' || *at == 'j' || *at == 'z' || *at == 't' || *at == 'q';
        conversion->wide_double |= *at == 'L';
        conversion->shorts += *at == 'h';
    }
    conversion->letter = *at;
    return *at ? at + 1 : at;
}

static bool is_wide(const struct conversion *conversion)
{
    return conversion->longs || conversion->letter == 'S';
}

static void read_text(const struct conversion *conversion, const void *text, const void *site)
{
    size_t most = conversion->precision < 0 ? SIZE_MAX / sizeof(wchar_t) : (size_t)conversion->precision;
    if (text == NULL)
        return;
    size_t length = 0, unit = is_wide(conversion) ? sizeof(wchar_t) : 1;
    if (is_wide(conversion))
        while (length < most && ((const wchar_t *)text)[length])
            length++;
    else
        length = strnlen(text, most);
    bpor_told_access(text, (length < most ? length + 1 : length) * unit, false, site);
}

static void write_count(const struct conversion *conversion, const void *to, const void *site)
{
    static const size_t narrow[] = {sizeof(int), sizeof(short), sizeof(char)};
    if (to)
        bpor_told_access(to, conversion->longs ? sizeof(long) : narrow[conversion->shorts % 3], true, site);
}

static enum passed passed_as(const struct conversion *conversion)
{
    if (conversion->letter == '%' || conversion->letter == 'm' || conversion->letter == '\0')
        return AS_NOTHING;
    if (strchr("sSpn", conversion->letter))
        return AS_POINTER;
    if (strchr("eEfFgGaA", conversion->letter))
        return conversion->wide_double ? AS_LONG_DOUBLE : AS_DOUBLE;
    return conversion->longs ? AS_LONG : AS_INT;
}

static uintptr_t take(enum passed passed, va_list *list)
{
    switch (passed) {
    case AS_INT:
        return (uintptr_t)va_arg(*list, int);
    case AS_LONG:
        return (uintptr_t)va_arg(*list, long);
    case AS_POINTER:
        return (uintptr_t)va_arg(*list, void *);
    case AS_DOUBLE:
        (void)va_arg(*list, double);
        return 0;
    case AS_LONG_DOUBLE:
        (void)va_arg(*list, long double);
        return 0;
    default:
        return 0;
    }
}

static void tell_argument(const struct conversion *conversion, uintptr_t value, const void *site)
{
    if (conversion->letter == 's' || conversion->letter == 'S')
        read_text(conversion, (const void *)value, site);
    else if (conversion->letter == 'n')
        write_count(conversion, (const void *)value, site);
}

/* False: a letter that nobody knows; what follows cannot be found. */
static bool is_known(const struct conversion *conversion)
{
    return conversion->letter && strchr("sSpneEfFgGaAdiouxXcC%m", conversion->letter);
}

/* Once through the format: with `site`, what it reads and writes is told, else only how arguments are passed is noted. */
static void walk(const char *format, struct arguments *arguments, const void *site)
{
    struct conversion conversion;
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        at = read_conversion(at + 1, &conversion, arguments);
        if (!is_known(&conversion) || conversion.position > MOST_POSITIONS) {
            bpor_untold("nothing shared is behind a conversion of printf that is not known");
            return;
        }
        enum passed passed = passed_as(&conversion);
        if (conversion.position)
            arguments->passed[conversion.position] = (unsigned char)passed;
        uintptr_t value = arguments->list ? take(passed, arguments->list) : arguments->value[conversion.position];
        if (site)
            tell_argument(&conversion, value, site);
    }
}

static void tell_positions(const char *format, va_list given, struct arguments *arguments, const void *site)
{
    va_list list;
    walk(format, arguments, NULL);
    va_copy(list, given);
    for (unsigned i = 1; i <= MOST_POSITIONS && arguments->passed[i] != AS_NOTHING; i++)
        arguments->value[i] = take(arguments->passed[i], &list);
    va_end(list);
    walk(format, arguments, site);
}

void bpor_told_format(const char *format, va_list given, const void *site)
{
    struct arguments arguments = {0};
    va_list list;
    if (!bpor_listens(site))
        return;
    bpor_told_access(format, strlen(format) + 1, false, site);
    const char *first = strchr(format, '%');
    const char *digits = first ? first + 1 : "";
    if (position_of(&digits)) {
        tell_positions(format, given, &arguments, site);
        return;
    }
    va_copy(list, given);
    arguments.list = &list;
    walk(format, &arguments, site);
    va_end(list);
}

void bpor_told_locked_write(const void *at, size_t bytes, const void *site)
{
    if (!bpor_listens(site) || bpor_checks != CHECK_RACES)
        return;
    if (bpor_visible_place((uintptr_t)at, bytes))
        bpor_plain_access(at, bytes, true, site);
    else
        bpor_race_atomic(bpor_self, bpor_location((uintptr_t)at, bytes), true, true, __ATOMIC_RELAXED);
}
