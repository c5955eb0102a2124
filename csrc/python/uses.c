/* The formats are those of PyUnicode_FromFormat and Py_BuildValue in CPython's manual. */
#define _GNU_SOURCE
#include "python/uses.h"
#include "memory/memory.h"
#include "python/references.h"
#include "runtime/objects.h"
#include <string.h>

enum { WORD = sizeof(uintptr_t), INT = sizeof(int), COMPLEX = 2 * sizeof(double) };
#define ARGUMENTS_OFFSET (1UL << 63) /* PY_VECTORCALL_ARGUMENTS_OFFSET */

struct walk {
    struct targets arguments;
    const void *site;
};

static uintptr_t next(struct walk *walk)
{
    return bpor_parsed_argument(&walk->arguments);
}

void bpor_use_memory(uintptr_t start, size_t bytes, bool write, const void *site)
{
    if (start && bpor_controlled() && !bpor->unexplored)
        bpor_plain_access((const void *)start, bytes, write, site);
}

static void use_text(uintptr_t text, size_t most, const void *site)
{
    size_t length = text ? strnlen((const char *)text, most) : 0;
    bpor_use_memory(text, length < most ? length + 1 : length, false, site);
}

static void use_object(uintptr_t object, const void *site)
{
    if (object)
        bpor_reference_given(object, site);
}

/* ---- printed: %[flags][width][.precision][length]conversion ---- */

static const char *number(const char *at, size_t *value, struct walk *walk)
{
    if (*at == '*') {
        *value = (size_t)(int)next(walk);
        return at + 1;
    }
    for (*value = 0; *at >= '0' && *at <= '9'; at++)
        *value = *value * 10 + (size_t)(*at - '0');
    return at;
}

static void use_conversion(char conversion, bool wide, size_t precision, struct walk *walk)
{
    if (conversion == '%' || strchr("aeEfFgG", conversion))
        return; /* fractions are in registers of their own */
    uintptr_t given = next(walk);
    if (strchr("ARSUTN", conversion))
        use_object(given, walk->site);
    else if (conversion == 's' && !wide)
        use_text(given, precision, walk->site);
    if (conversion != 'V')
        return;
    use_object(given, walk->site);
    uintptr_t instead = next(walk);
    if (given == 0 && !wide)
        use_text(instead, precision, walk->site);
}

static void use_printed(const char *at, struct walk *walk)
{
    while (at && (at = strchr(at, '%')) != NULL) {
        size_t width, precision = SIZE_MAX;
        at++;
        at = number(at + strspn(at, "-+ #0"), &width, walk);
        if (*at == '.')
            at = number(at + 1, &precision, walk);
        size_t modifiers = strspn(at, "hlztj");
        bool wide = modifiers && *at == 'l';
        at += modifiers;
        if (*at)
            use_conversion(*at++, wide, precision, walk);
    }
}

/* ---- built ---- */

static void use_built_text(const char **at, struct walk *walk)
{
    uintptr_t text = next(walk);
    if (**at != '#') {
        use_text(text, SIZE_MAX, walk->site);
        return;
    }
    ++*at;
    intptr_t length = (intptr_t)next(walk);
    bpor_use_memory(text, length > 0 ? (size_t)length : 0, false, walk->site);
}

static void use_built_object(const char **at, struct walk *walk)
{
    uintptr_t given = next(walk);
    if (**at != '&') {
        use_object(given, walk->site);
        return;
    }
    ++*at;
    next(walk); /* what the function before it makes an object of */
}

static void use_built(const char *at, struct walk *walk)
{
    while (at && *at) {
        char unit = *at++;
        if (strchr("szyU", unit))
            use_built_text(&at, walk);
        else if (strchr("OSN", unit))
            use_built_object(&at, walk);
        else if (unit == 'D')
            bpor_use_memory(next(walk), COMPLEX, false, walk->site);
        else if (strchr("ibhIHBlkLKncCpu", unit))
            next(walk);
        if (unit == 'u')
            return; /* wide text, which is no longer there from 3.13 on: where the next argument stands is not known */
    }
}

/* ---- all ---- */

static void use_rest(const struct uses *uses, struct walk *walk)
{
    const uintptr_t *in_registers = walk->arguments.arguments->in_registers;
    uintptr_t first = in_registers[uses->at], object, count;
    walk->arguments.next = uses->at + 1U;
    switch ((enum rest)uses->rest) {
    case PRINTED_INTO:
        bpor_use_memory(in_registers[0], in_registers[1], true, walk->site); /* fallthrough */
    case PRINTED:
        use_printed((const char *)first, walk);
        break;
    case BUILT:
        use_built((const char *)first, walk);
        break;
    case OBJECTS:
        for (object = first; object; object = next(walk))
            use_object(object, walk->site);
        break;
    case COUNTED:
        for (object = first, count = in_registers[uses->at - 1]; count > 0; object = --count ? next(walk) : 0)
            use_object(object, walk->site);
        break;
    case ARRAY:
        count = first ? in_registers[uses->at + 1] & ~ARGUMENTS_OFFSET : 0;
        for (unsigned i = 0; i < count; i++)
            use_object(((const uintptr_t *)first)[i], walk->site);
        break;
    case RANGE:
        bpor_use_memory(first, in_registers[uses->at + 1], false, walk->site);
        break;
    case NO_REST:
        break;
    }
}

void bpor_uses_tell(const struct uses *uses, const struct arguments *arguments, const void *site)
{
    if (!bpor_controlled() || bpor->unexplored)
        return;
    for (unsigned i = 0; (uses->texts | uses->words | uses->ints) >> i; i++) {
        if (uses->texts >> i & 1)
            use_text(arguments->in_registers[i], SIZE_MAX, site);
        if (uses->words >> i & 1)
            bpor_use_memory(arguments->in_registers[i], WORD, true, site);
        if (uses->ints >> i & 1)
            bpor_use_memory(arguments->in_registers[i], INT, true, site);
    }
    use_rest(uses, &(struct walk){{.arguments = arguments}, site});
}
