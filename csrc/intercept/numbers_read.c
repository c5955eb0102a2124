/* Functions that read a number out of a text, and answer with one that no row of the table (told_table.c) could pass on. */
#include "intercept/told.h"
#include "runtime/real.h"
#include <stdlib.h>
#include <wchar.h>

static size_t wide_bytes(const wchar_t *text)
{
    const wchar_t *end = text; /* wcslen is told of by itself */
    while (*end)
        end++;
    return (size_t)(end - text + 1) * sizeof *text;
}

#define NUMBER_CALL(number, name, letter, tell)                                                                                  \
    INTERCEPT number name(const letter *restrict text, letter **restrict end)                                                    \
    {                                                                                                                            \
        bpor_told_fill(end, sizeof(letter *), CALL_SITE);                                                                        \
        tell;                                                                                                                    \
        return REAL(name)(text, end);                                                                                            \
    }
#define WIDE_CALL(number, name) NUMBER_CALL(number, name, wchar_t, bpor_told_read(text, wide_bytes(text), CALL_SITE))

NUMBER_CALL(long double, strtold, char, bpor_told_text(text, CALL_SITE))
WIDE_CALL(double, wcstod)
WIDE_CALL(float, wcstof)
WIDE_CALL(long double, wcstold)
