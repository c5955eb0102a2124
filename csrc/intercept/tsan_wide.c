/* Wide letters: what std::wstring calls where std::string calls memcpy and strlen (tsan_string.c). */
#include "instrument/callbacks.h"
#include "intercept/tsan_string.h"
#include "memory/memory.h"
#include "race/race.h"
#include "runtime/real.h"
#include <wchar.h>

_Static_assert(sizeof(wchar_t) == sizeof(int), "callbacks.def has no wchar_t");

static struct plain_part read_of(const wchar_t *letters, size_t count)
{
    return (struct plain_part){letters, count * sizeof *letters, false};
}

INTERCEPT unsigned long bpor_wcslen(const wchar_t *text)
{
    for (size_t told = 0, letters; (letters = wcslen(text) + 1) > told; told = letters)
        bpor_plain_access(text, letters * sizeof *text, false, CALL_SITE);
    return wcslen(text);
}

INTERCEPT wchar_t *bpor_wmemcpy(wchar_t *to, const wchar_t *from, unsigned long count)
{
    return bpor_string_copy(to, from, count * sizeof *to, CALL_SITE);
}

INTERCEPT wchar_t *bpor_wmemmove(wchar_t *to, const wchar_t *from, unsigned long count)
{
    return bpor_string_copy(to, from, count * sizeof *to, CALL_SITE);
}

INTERCEPT wchar_t *bpor_wmemset(wchar_t *to, wchar_t letter, unsigned long count)
{
    size_t half = bpor_string_first_half(to, count * sizeof *to) / sizeof *to;
    if (half) {
        bpor_plain_access(to, half * sizeof *to, true, CALL_SITE);
        wmemset(to, letter, half);
    }
    bpor_plain_access(to + half, (count - half) * sizeof *to, true, CALL_SITE);
    wmemset(to + half, letter, count - half);
    return to;
}

static size_t until_found(const wchar_t *letters, wchar_t letter, size_t count)
{
    const wchar_t *found = wmemchr(letters, letter, count);
    return found ? (size_t)(found - letters) + 1 : count;
}

INTERCEPT wchar_t *bpor_wmemchr(const wchar_t *letters, wchar_t letter, unsigned long count)
{
    for (size_t told = 0, looked_at; (looked_at = until_found(letters, letter, count)) > told; told = looked_at)
        bpor_plain_access(letters, looked_at * sizeof *letters, false, CALL_SITE);
    return wmemchr(letters, letter, count);
}

INTERCEPT int bpor_wmemcmp(const wchar_t *one, const wchar_t *other, unsigned long count)
{
    bpor_plain_accesses(read_of(one, count), read_of(other, count), CALL_SITE);
    return wmemcmp(one, other, count);
}
