/* Copies and comparisons of memory: what clang calls instead of memcpy, memmove and memset, and what the linker wrapper (of
 * instrumented code) or the loader of patched code (machine/strings.c) sends here. Each call is checked as plain accesses of the
 * bytes that it touches, and then performed.
 *
 * If such a place is shared, reporting the access is a scheduling point, and another thread may change the string there. So the
 * length of a string is measured again after its access was reported, until every byte of it has been reported; the result is
 * computed from the bytes that are there then. */
#define _GNU_SOURCE
#include "intercept/tsan_string.h"
#include "instrument/callbacks.h"
#include "instrument/fortified.h"
#include "memory/memory.h"
#include "race/race.h"
#include "runtime/real.h"
#include <stdlib.h>
#include <string.h>

static struct plain_part read_of(const void *from, size_t bytes)
{
    return (struct plain_part){from, bytes, false};
}

static struct plain_part write_of(const void *to, size_t bytes)
{
    return (struct plain_part){to, bytes, true};
}

static void reads(const void *from, size_t bytes, const void *site)
{
    bpor_plain_access(from, bytes, false, site);
}

static void writes(const void *to, size_t bytes, const void *site)
{
    bpor_plain_access(to, bytes, true, site);
}

/* ---- texts, whose length is what they contain ---- */

/* With its end, if that comes soon enough. */
static size_t text_bytes(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    return length < most ? length + 1 : length;
}

static void reads_text(const char *text, size_t most, const void *site)
{
    for (size_t told = 0, bytes; (bytes = text_bytes(text, most)) > told; told = bytes)
        reads(text, bytes, site);
}

/* How much of two texts a comparison looks at. */
typedef size_t measure(const char *one, const char *other, size_t most);

static void reads_texts(const char *one, const char *other, size_t most, measure *looks_at, const void *site)
{
    for (size_t told = 0, bytes; (bytes = looks_at(one, other, most)) > told; told = bytes)
        bpor_plain_accesses(read_of(one, bytes), read_of(other, bytes), site);
}

/* Up to and with the first difference or end. */
static size_t until_difference(const char *one, const char *other, size_t most)
{
    size_t count = 0;
    while (count < most && one[count] == other[count] && one[count] != '\0')
        count++;
    return count < most ? count + 1 : most;
}

/* Ignoring case: at most as far as the shorter text goes. */
static size_t until_end(const char *one, const char *other, size_t most)
{
    size_t first = text_bytes(one, most), second = text_bytes(other, most);
    return first < second ? first : second;
}

/* ---- bytes ---- */

/* A copy is no atomic access: where others look, it is done in two steps, and they may see the first half alone. Where they look
 * at both sides, they may also come between what it reads and what it writes; then it is done in pieces. */
enum { TEARS = 16, PIECE = 512 }; /* bytes from which on; bytes at most */

bool bpor_string_others_look(const void *address, size_t bytes)
{
    return bpor_checks == CHECK_RACES && bpor_visible_place((uintptr_t)address, bytes);
}

static bool overlap(const char *one, const char *other, size_t bytes)
{
    return (size_t)(one > other ? one - other : other - one) < bytes;
}

static void copy_in_pieces(char *to, const char *from, size_t bytes, const void *site)
{
    char piece[PIECE];
    for (size_t done = 0, count; done < bytes; done += count) {
        count = bytes - done < PIECE ? bytes - done : PIECE;
        size_t at = to > from ? bytes - done - count : done; /* what is written must have been read, if they overlap */
        reads(from + at, count, site);
        memcpy(piece, from + at, count);
        writes(to + at, count, site);
        memcpy(to + at, piece, count);
    }
}

static void copy_part(char *to, const char *from, size_t bytes, bool apart, const void *site)
{
    if (apart) {
        copy_in_pieces(to, from, bytes, site);
        return;
    }
    bpor_plain_accesses(read_of(from, bytes), write_of(to, bytes), site);
    memmove(to, from, bytes);
}

static size_t first_half(size_t bytes, bool shared)
{
    return shared && bytes >= TEARS ? bytes / 2 & ~(size_t)7 : 0;
}

void *bpor_string_copy(void *to, const void *from, size_t bytes, const void *site)
{
    bool written = bpor_string_others_look(to, bytes), read = bpor_string_others_look(from, bytes);
    size_t half = first_half(bytes, !overlap(to, from, bytes) && (written || read));
    copy_part(to, from, half, written && read, site);
    copy_part((char *)to + half, (const char *)from + half, bytes - half, written && read, site);
    return to;
}

size_t bpor_string_first_half(const void *to, size_t bytes)
{
    return first_half(bytes, bpor_string_others_look(to, bytes));
}

void *bpor_string_fill(void *to, int value, size_t bytes, const void *site)
{
    size_t half = bpor_string_first_half(to, bytes);
    if (half) {
        writes(to, half, site);
        memset(to, value, half);
    }
    writes((char *)to + half, bytes - half, site);
    memset((char *)to + half, value, bytes - half);
    return to;
}

#define COPY(name)                                                                                                               \
    INTERCEPT void *name(void *to, const void *from, unsigned long bytes)                                                        \
    {                                                                                                                            \
        return bpor_string_copy(to, from, bytes, CALL_SITE);                                                                     \
    }
#define FILL(name)                                                                                                               \
    INTERCEPT void *name(void *to, int value, unsigned long bytes)                                                               \
    {                                                                                                                            \
        return bpor_string_fill(to, value, bytes, CALL_SITE);                                                                    \
    }
COPY(__tsan_memcpy)
COPY(bpor_memcpy)
COPY(__tsan_memmove)
COPY(bpor_memmove)
FILL(__tsan_memset)
FILL(bpor_memset)

INTERCEPT void *bpor_mempcpy(void *to, const void *from, unsigned long bytes)
{
    return (char *)bpor_string_copy(to, from, bytes, CALL_SITE) + bytes;
}

static int compare_in_pieces(const char *one, const char *other, size_t bytes, const void *site)
{
    char piece[PIECE];
    int answer = 0;
    for (size_t done = 0, count; done < bytes && answer == 0; done += count) {
        count = bytes - done < PIECE ? bytes - done : PIECE;
        reads(one + done, count, site);
        memcpy(piece, one + done, count);
        reads(other + done, count, site);
        answer = memcmp(piece, other + done, count);
    }
    return answer;
}

INTERCEPT int bpor_memcmp(const void *one, const void *other, unsigned long bytes)
{
    if (bpor_string_others_look(one, bytes) && bpor_string_others_look(other, bytes))
        return compare_in_pieces(one, other, bytes, CALL_SITE);
    bpor_plain_accesses(read_of(one, bytes), read_of(other, bytes), CALL_SITE);
    return memcmp(one, other, bytes);
}

static size_t until_found(const char *bytes, int letter, size_t count)
{
    const char *found = memchr(bytes, letter, count);
    return found ? (size_t)(found - bytes) + 1 : count;
}

INTERCEPT void *bpor_memchr(const void *bytes, int letter, unsigned long count)
{
    for (size_t told = 0, looked_at; (looked_at = until_found(bytes, letter, count)) > told; told = looked_at)
        reads(bytes, looked_at, CALL_SITE);
    return memchr(bytes, letter, count);
}

INTERCEPT void *bpor_memrchr(const void *bytes, int letter, unsigned long count)
{
    reads(bytes, count, CALL_SITE);
    return memrchr(bytes, letter, count);
}

INTERCEPT void *bpor_memmem(const void *bytes, unsigned long count, const void *part, unsigned long part_count)
{
    bpor_plain_accesses(read_of(bytes, count), read_of(part, part_count), CALL_SITE);
    return memmem(bytes, count, part, part_count);
}

/* ---- texts ---- */

INTERCEPT unsigned long bpor_strlen(const char *text)
{
    reads_text(text, WHOLE_TEXT, CALL_SITE);
    return strlen(text);
}

INTERCEPT unsigned long bpor_strnlen(const char *text, unsigned long bytes)
{
    reads_text(text, bytes, CALL_SITE);
    return strnlen(text, bytes);
}

INTERCEPT char *bpor_strndup(const char *text, unsigned long bytes)
{
    reads_text(text, bytes, CALL_SITE);
    return strndup(text, bytes);
}

void bpor_string_copy_text(char *to, const char *from, size_t most, size_t field, const void *site)
{
    for (size_t told = 0, bytes; (bytes = text_bytes(from, most)) > told; told = bytes)
        bpor_plain_accesses(read_of(from, bytes), write_of(to, bytes > field ? bytes : field), site);
}

INTERCEPT char *bpor_strcpy(char *to, const char *from)
{
    bpor_string_copy_text(to, from, WHOLE_TEXT, 0, CALL_SITE);
    return strcpy(to, from);
}

INTERCEPT char *bpor_stpcpy(char *to, const char *from)
{
    bpor_string_copy_text(to, from, WHOLE_TEXT, 0, CALL_SITE);
    return stpcpy(to, from);
}

INTERCEPT char *bpor_strncpy(char *to, const char *from, unsigned long bytes)
{
    bpor_string_copy_text(to, from, bytes, bytes, CALL_SITE);
    return strncpy(to, from, bytes);
}

/* What is lengthened is read first, in a step of its own. */
void bpor_string_append(char *to, const char *from, size_t most, const void *site)
{
    reads_text(to, WHOLE_TEXT, site);
    for (size_t told = 0, bytes; (bytes = text_bytes(from, most)) > told; told = bytes)
        bpor_plain_accesses(read_of(from, bytes), write_of(to + strlen(to), strnlen(from, most) + 1), site);
}

INTERCEPT char *bpor_strcat(char *to, const char *from)
{
    bpor_string_append(to, from, WHOLE_TEXT, CALL_SITE);
    return strcat(to, from);
}

INTERCEPT char *bpor_strncat(char *to, const char *from, unsigned long bytes)
{
    bpor_string_append(to, from, bytes, CALL_SITE);
    return strncat(to, from, bytes);
}

INTERCEPT int bpor_strcmp(const char *one, const char *other)
{
    reads_texts(one, other, WHOLE_TEXT, until_difference, CALL_SITE);
    return strcmp(one, other);
}

INTERCEPT int bpor_strncmp(const char *one, const char *other, unsigned long bytes)
{
    reads_texts(one, other, bytes, until_difference, CALL_SITE);
    return strncmp(one, other, bytes);
}

INTERCEPT int bpor_strcasecmp(const char *one, const char *other)
{
    reads_texts(one, other, WHOLE_TEXT, until_end, CALL_SITE);
    return strcasecmp(one, other);
}

INTERCEPT int bpor_strncasecmp(const char *one, const char *other, unsigned long bytes)
{
    reads_texts(one, other, bytes, until_end, CALL_SITE);
    return strncasecmp(one, other, bytes);
}

/* Functions that look through a whole text; what they look for seldom changes. */
#define LOOKS_THROUGH(result, name, parameters, arguments, ...)                                                                  \
    INTERCEPT result bpor_##name parameters                                                                                      \
    {                                                                                                                            \
        const char *const texts[] = {__VA_ARGS__};                                                                               \
        for (unsigned i = sizeof texts / sizeof texts[0]; i > 0; i--)                                                            \
            reads_text(texts[i - 1], WHOLE_TEXT, CALL_SITE);                                                                     \
        return name arguments;                                                                                                   \
    }
LOOKS_THROUGH(char *, strchr, (const char *text, int letter), (text, letter), text)
LOOKS_THROUGH(char *, strchrnul, (const char *text, int letter), (text, letter), text)
LOOKS_THROUGH(char *, strrchr, (const char *text, int letter), (text, letter), text)
LOOKS_THROUGH(char *, strstr, (const char *text, const char *part), (text, part), text, part)
LOOKS_THROUGH(char *, strcasestr, (const char *text, const char *part), (text, part), text, part)
LOOKS_THROUGH(char *, strdup, (const char *text), (text), text)
LOOKS_THROUGH(char *, __strdup, (const char *text), (text), text) /* what string.h made of strdup */
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
        if (end)                                                                                                                 \
            writes(end, sizeof *end, CALL_SITE);                                                                                 \
        reads_text(text, WHOLE_TEXT, CALL_SITE);                                                                                 \
        return name arguments;                                                                                                   \
    }
NUMBER(long, strtol, (const char *text, char **end, int base), (text, end, base))
NUMBER(unsigned long, strtoul, (const char *text, char **end, int base), (text, end, base))
NUMBER(long long, strtoll, (const char *text, char **end, int base), (text, end, base))
NUMBER(unsigned long long, strtoull, (const char *text, char **end, int base), (text, end, base))
NUMBER(double, strtod, (const char *text, char **end), (text, end))
NUMBER(float, strtof, (const char *text, char **end), (text, end))

/* Functions that cut a text where a token ends, and remember where they were. */
static void cuts(char *text, char **rest, const void *site)
{
    writes(rest, sizeof *rest, site);
    if (text == NULL)
        text = *rest;
    if (text)
        writes(text, strlen(text) + 1, site);
}

INTERCEPT char *bpor_strtok_r(char *text, const char *set, char **rest)
{
    cuts(text, rest, CALL_SITE);
    return strtok_r(text, set, rest);
}

INTERCEPT char *bpor_strsep(char **rest, const char *set)
{
    cuts(NULL, rest, CALL_SITE);
    return strsep(rest, set);
}

INTERCEPT void bpor_qsort(void *array, unsigned long count, unsigned long size, int (*compare)(const void *, const void *))
{
    writes(array, count * size, CALL_SITE);
    qsort(array, count, size, compare);
}
