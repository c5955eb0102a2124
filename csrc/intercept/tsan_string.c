/* Copies and comparisons of memory: what clang calls instead of memcpy, memmove and memset, and what the linker wrapper sends
 * here from gcc's code. Checked as plain accesses of the bytes they touch, then done. */
#include "instrument/callbacks.h"
#include "runtime/memory.h"
#include "runtime/real.h"
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
