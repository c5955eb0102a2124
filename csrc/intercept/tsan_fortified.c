/* String functions that are told the size of their target (_FORTIFY_SOURCE), as distributions build their programs. Where it is
 * too small libc's own function ends the program. */
#include "instrument/callbacks.h"
#include "instrument/fortified.h"
#include "intercept/tsan_string.h"
#include "runtime/real.h"

#define CHECKED_COPY(name)                                                                                                       \
    INTERCEPT void *bpor_##name(void *to, const void *from, unsigned long bytes, unsigned long room)                             \
    {                                                                                                                            \
        if (bytes > room)                                                                                                        \
            return name(to, from, bytes, room); /* which ends the program */                                                     \
        return bpor_string_copy(to, from, bytes, CALL_SITE);                                                                     \
    }
CHECKED_COPY(__memcpy_chk)
CHECKED_COPY(__memmove_chk)

INTERCEPT void *bpor___mempcpy_chk(void *to, const void *from, unsigned long bytes, unsigned long room)
{
    if (bytes > room)
        return __mempcpy_chk(to, from, bytes, room);
    return (char *)bpor_string_copy(to, from, bytes, CALL_SITE) + bytes;
}

INTERCEPT void *bpor___memset_chk(void *to, int value, unsigned long bytes, unsigned long room)
{
    if (bytes > room)
        return __memset_chk(to, value, bytes, room);
    return bpor_string_fill(to, value, bytes, CALL_SITE);
}

INTERCEPT char *bpor___strcpy_chk(char *to, const char *from, unsigned long room)
{
    bpor_string_copy_text(to, from, WHOLE_TEXT, 0, CALL_SITE);
    return __strcpy_chk(to, from, room);
}

INTERCEPT char *bpor___stpcpy_chk(char *to, const char *from, unsigned long room)
{
    bpor_string_copy_text(to, from, WHOLE_TEXT, 0, CALL_SITE);
    return __stpcpy_chk(to, from, room);
}

INTERCEPT char *bpor___strncpy_chk(char *to, const char *from, unsigned long bytes, unsigned long room)
{
    bpor_string_copy_text(to, from, bytes, bytes, CALL_SITE);
    return __strncpy_chk(to, from, bytes, room);
}

INTERCEPT char *bpor___strcat_chk(char *to, const char *from, unsigned long room)
{
    bpor_string_append(to, from, WHOLE_TEXT, CALL_SITE);
    return __strcat_chk(to, from, room);
}

INTERCEPT char *bpor___strncat_chk(char *to, const char *from, unsigned long bytes, unsigned long room)
{
    bpor_string_append(to, from, bytes, CALL_SITE);
    return __strncat_chk(to, from, bytes, room);
}
