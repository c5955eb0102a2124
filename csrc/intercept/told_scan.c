/* Formatted input from a string: which bytes of it are read, and where the values are stored. */
#define _GNU_SOURCE
#include "intercept/told.h"
#include "runtime/real.h"
#include <ctype.h>

/* stdio.h makes the first two names of the other two. */
int vsscanf(const char *restrict text, const char *restrict format, va_list arguments);
int sscanf(const char *restrict text, const char *restrict format, ...);
int __isoc99_vsscanf(const char *text, const char *format, va_list arguments);
int __isoc99_sscanf(const char *text, const char *format, ...);

/* One conversion of a format. */
struct field {
    bool kept;    /* there is an argument for it */
    size_t width; /* in letters; 0: any */
    size_t bytes; /* of a number, by its length */
    bool made;    /* by malloc: the argument is a pointer to the result */
    char letter;
};

static size_t number_bytes(const char *lengths, size_t count)
{
    if (count == 0)
        return sizeof(int);
    if (lengths[0] == 'h')
        return count == 2 ? sizeof(char) : sizeof(short);
    return sizeof(long);
}

/* Behind a set of letters in brackets, whose first may be a bracket itself. */
static const char *behind_set(const char *at)
{
    at += *at == '^';
    at += *at == ']';
    const char *end = strchr(at, ']');
    return end ? end + 1 : at + strlen(at);
}

static const char *read_field(const char *at, struct field *field)
{
    *field = (struct field){.kept = *at != '*'};
    at += *at == '*';
    for (; isdigit((unsigned char)*at); at++)
        field->width = field->width * 10 + (size_t)(*at - '0');
    field->made = *at == 'm';
    at += field->made;
    size_t lengths = strspn(at, "hljztLq");
    field->bytes = number_bytes(at, lengths);
    bool wide = lengths && at[0] == 'L', is_long = lengths && at[0] == 'l';
    at += lengths;
    field->letter = *at;
    if (strchr("eEfFgGaA", *at))
        field->bytes = wide ? sizeof(long double) : is_long ? sizeof(double) : sizeof(float);
    if (*at == '\0')
        return at;
    return *at == '[' ? behind_set(at + 1) : at + 1;
}

/* How much it may write: a text as much as the width allows, or as there is to read. */
static size_t field_bytes(const struct field *field, const char *text)
{
    if (field->made || field->letter == 'p')
        return sizeof(void *);
    if (field->letter == 'c')
        return field->width ? field->width : 1;
    if (field->letter != 's' && field->letter != '[')
        return field->bytes;
    size_t length = strlen(text);
    return (field->width && field->width < length ? field->width : length) + 1;
}

/* Values are told first and the text last: what is read of it is what is there when the call is made. */
static void about_to_scan(const char *text, const char *format, va_list given, const void *site)
{
    struct field field;
    va_list arguments;
    if (!bpor_listens(site))
        return;
    va_copy(arguments, given);
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        at = read_field(at + 1, &field);
        if (field.kept && field.letter != '%' && field.letter != '\0')
            bpor_plain_access(va_arg(arguments, void *), field_bytes(&field, text), true, site);
    }
    va_end(arguments);
    bpor_told_text(text, site);
}

/* Of a stream: how much a text will be is not known before. */
static size_t stored_bytes(const struct field *field, const void *to, bool stored)
{
    bool text = !field->made && (field->letter == 's' || field->letter == '[');
    return text ? (stored ? strlen(to) + 1 : 1) : field_bytes(field, "");
}

static void tell_stores(const char *format, va_list given, int values, bool stored, const void *site)
{
    struct field field;
    va_list arguments;
    if (!bpor_listens(site))
        return;
    va_copy(arguments, given);
    for (const char *at = strchr(format, '%'); at && values > 0; at = strchr(at, '%')) {
        at = read_field(at + 1, &field);
        if (!field.kept || field.letter == '%' || field.letter == '\0')
            continue;
        const void *to = va_arg(arguments, void *);
        if (stored)
            bpor_told_write(to, (ssize_t)stored_bytes(&field, to, true), site);
        else
            bpor_told_room(to, stored_bytes(&field, to, false), site);
        values -= field.letter != 'n';
    }
    va_end(arguments);
}

void bpor_told_scan_room(const char *format, va_list arguments, const void *site)
{
    bpor_told_text(format, site);
    tell_stores(format, arguments, INT_MAX, false, site);
}

void bpor_told_scanned(const char *format, va_list arguments, int values, const void *site)
{
    tell_stores(format, arguments, values, true, site);
}

INTERCEPT int vsscanf(const char *restrict text, const char *restrict format, va_list arguments)
{
    about_to_scan(text, format, arguments, CALL_SITE);
    return REAL(vsscanf)(text, format, arguments);
}

INTERCEPT int __isoc99_vsscanf(const char *text, const char *format, va_list arguments)
{
    about_to_scan(text, format, arguments, CALL_SITE);
    return REAL(__isoc99_vsscanf)(text, format, arguments);
}

INTERCEPT int sscanf(const char *restrict text, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    about_to_scan(text, format, arguments, CALL_SITE);
    int values = REAL(vsscanf)(text, format, arguments);
    va_end(arguments);
    return values;
}

INTERCEPT int __isoc99_sscanf(const char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    about_to_scan(text, format, arguments, CALL_SITE);
    int values = REAL(__isoc99_vsscanf)(text, format, arguments);
    va_end(arguments);
    return values;
}
