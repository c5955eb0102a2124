/* Copies and comparisons of memory: what clang calls instead of memcpy, memmove and memset, and what the linker wrapper sends
 * here from gcc's code. Checked as plain accesses of the bytes they touch, then done. */
#include "instrument/callbacks.h"
#include "runtime/memory.h"
#include "runtime/real.h"
#include <stdlib.h>
#include <string.h>

static void copies(const void *to, const void *from, size_t bytes, const void *site)
{
    bpor_plain_access(from, bytes, false, site);
    bpor_plain_access(to, bytes, true, site);
}

/* Bytes that a comparison looks at: up to and with the first difference or end. */
static size_t compared(const char *one, const char *other, size_t most)
{
    size_t count = 0;
    while (count < most && one[count] == other[count] && one[count] != '\0')
        count++;
    return count < most ? count + 1 : most;
}

#define COPY(name, function)                                                                                                     \
    INTERCEPT void *name(void *to, const void *from, unsigned long bytes)                                                        \
    {                                                                                                                            \
        copies(to, from, bytes, CALL_SITE);                                                                                      \
        return function(to, from, bytes);                                                                                        \
    }
#define FILL(name)                                                                                                               \
    INTERCEPT void *name(void *to, int value, unsigned long bytes)                                                               \
    {                                                                                                                            \
        bpor_plain_access(to, bytes, true, CALL_SITE);                                                                           \
        return memset(to, value, bytes);                                                                                         \
    }
COPY(__tsan_memcpy, memcpy)
COPY(bpor_memcpy, memcpy)
COPY(__tsan_memmove, memmove)
COPY(bpor_memmove, memmove)
FILL(__tsan_memset)
FILL(bpor_memset)

INTERCEPT int bpor_memcmp(const void *one, const void *other, unsigned long bytes)
{
    bpor_plain_access(one, bytes, false, CALL_SITE);
    bpor_plain_access(other, bytes, false, CALL_SITE);
    return memcmp(one, other, bytes);
}

INTERCEPT unsigned long bpor_strlen(const char *text)
{
    size_t length = strlen(text);
    bpor_plain_access(text, length + 1, false, CALL_SITE);
    return length;
}

INTERCEPT char *bpor_strcpy(char *to, const char *from)
{
    copies(to, from, strlen(from) + 1, CALL_SITE);
    return strcpy(to, from);
}

INTERCEPT char *bpor_strncpy(char *to, const char *from, unsigned long bytes)
{
    size_t length = strnlen(from, bytes);
    bpor_plain_access(from, length < bytes ? length + 1 : length, false, CALL_SITE);
    bpor_plain_access(to, bytes, true, CALL_SITE);
    return strncpy(to, from, bytes);
}

static void compares(const char *one, const char *other, size_t most, const void *site)
{
    size_t bytes = compared(one, other, most);
    bpor_plain_access(one, bytes, false, site);
    bpor_plain_access(other, bytes, false, site);
}

INTERCEPT int bpor_strcmp(const char *one, const char *other)
{
    compares(one, other, (size_t)-1, CALL_SITE);
    return strcmp(one, other);
}

INTERCEPT int bpor_strncmp(const char *one, const char *other, unsigned long bytes)
{
    compares(one, other, bytes, CALL_SITE);
    return strncmp(one, other, bytes);
}

INTERCEPT char *bpor_strcat(char *to, const char *from)
{
    size_t before = strlen(to), bytes = strlen(from) + 1;
    bpor_plain_access(to, before + 1, false, CALL_SITE);
    copies(to + before, from, bytes, CALL_SITE);
    return strcat(to, from);
}

INTERCEPT char *bpor_strncat(char *to, const char *from, unsigned long bytes)
{
    size_t before = strlen(to), length = strnlen(from, bytes);
    bpor_plain_access(to, before + 1, false, CALL_SITE);
    bpor_plain_access(from, length < bytes ? length + 1 : length, false, CALL_SITE);
    bpor_plain_access(to + before, length + 1, true, CALL_SITE);
    return strncat(to, from, bytes);
}

INTERCEPT char *bpor_stpcpy(char *to, const char *from)
{
    copies(to, from, strlen(from) + 1, CALL_SITE);
    return stpcpy(to, from);
}

INTERCEPT unsigned long bpor_strnlen(const char *text, unsigned long bytes)
{
    size_t length = strnlen(text, bytes);
    bpor_plain_access(text, length < bytes ? length + 1 : length, false, CALL_SITE);
    return length;
}

INTERCEPT char *bpor_strndup(const char *text, unsigned long bytes)
{
    size_t length = strnlen(text, bytes);
    bpor_plain_access(text, length < bytes ? length + 1 : length, false, CALL_SITE);
    return strndup(text, bytes);
}

INTERCEPT void *bpor_memchr(const void *bytes, int letter, unsigned long count)
{
    void *found = memchr(bytes, letter, count);
    bpor_plain_access(bytes, found ? (size_t)((char *)found - (const char *)bytes) + 1 : count, false, CALL_SITE);
    return found;
}

/* Ignoring case: at most as far as the shorter text goes. */
static void compares_letters(const char *one, const char *other, size_t most, const void *site)
{
    size_t first = strnlen(one, most), second = strnlen(other, most), shorter = first < second ? first : second;
    size_t bytes = shorter < most ? shorter + 1 : most;
    bpor_plain_access(one, bytes, false, site);
    bpor_plain_access(other, bytes, false, site);
}

INTERCEPT int bpor_strcasecmp(const char *one, const char *other)
{
    compares_letters(one, other, (size_t)-1, CALL_SITE);
    return strcasecmp(one, other);
}

INTERCEPT int bpor_strncasecmp(const char *one, const char *other, unsigned long bytes)
{
    compares_letters(one, other, bytes, CALL_SITE);
    return strncasecmp(one, other, bytes);
}

/* Functions that look through a whole text. */
static void reads_text(const char *text, const void *site)
{
    bpor_plain_access(text, strlen(text) + 1, false, site);
}

#define LOOKS_THROUGH(result, name, parameters, arguments, ...)                                                                  \
    INTERCEPT result bpor_##name parameters                                                                                      \
    {                                                                                                                            \
        const char *const texts[] = {__VA_ARGS__};                                                                               \
        for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)                                                            \
            reads_text(texts[i], CALL_SITE);                                                                                     \
        return name arguments;                                                                                                   \
    }
LOOKS_THROUGH(char *, strchr, (const char *text, int letter), (text, letter), text)
LOOKS_THROUGH(char *, strrchr, (const char *text, int letter), (text, letter), text)
LOOKS_THROUGH(char *, strstr, (const char *text, const char *part), (text, part), text, part)
LOOKS_THROUGH(char *, strdup, (const char *text), (text), text)
LOOKS_THROUGH(unsigned long, strspn, (const char *text, const char *set), (text, set), text, set)
LOOKS_THROUGH(unsigned long, strcspn, (const char *text, const char *set), (text, set), text, set)
LOOKS_THROUGH(char *, strpbrk, (const char *text, const char *set), (text, set), text, set)
LOOKS_THROUGH(int, atoi, (const char *text), (text), text)
LOOKS_THROUGH(long, atol, (const char *text), (text), text)
LOOKS_THROUGH(long long, atoll, (const char *text), (text), text)
LOOKS_THROUGH(double, atof, (const char *text), (text), text)

#define NUMBER(result, name, parameters, arguments)                                                                              \
    INTERCEPT result bpor_##name parameters                                                                                      \
    {                                                                                                                            \
        reads_text(text, CALL_SITE);                                                                                             \
        if (end)                                                                                                                 \
            bpor_plain_access(end, sizeof *end, true, CALL_SITE);                                                                \
        return name arguments;                                                                                                   \
    }
NUMBER(long, strtol, (const char *text, char **end, int base), (text, end, base))
NUMBER(unsigned long, strtoul, (const char *text, char **end, int base), (text, end, base))
NUMBER(long long, strtoll, (const char *text, char **end, int base), (text, end, base))
NUMBER(unsigned long long, strtoull, (const char *text, char **end, int base), (text, end, base))
NUMBER(double, strtod, (const char *text, char **end), (text, end))
NUMBER(float, strtof, (const char *text, char **end), (text, end))

/* It cuts the text where the token ends. */
INTERCEPT char *bpor_strtok_r(char *text, const char *set, char **rest)
{
    bpor_plain_access(rest, sizeof *rest, true, CALL_SITE);
    if (text == NULL)
        text = *rest;
    if (text)
        bpor_plain_access(text, strlen(text) + 1, true, CALL_SITE);
    return strtok_r(text, set, rest);
}

INTERCEPT void bpor_qsort(void *array, unsigned long count, unsigned long size, int (*compare)(const void *, const void *))
{
    bpor_plain_access(array, count * size, true, CALL_SITE);
    qsort(array, count, size, compare);
}
