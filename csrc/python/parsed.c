/* The formats are those of "Parsing arguments and building values" in CPython's manual. */
#include "python/parsed.h"
#include <string.h>

enum { WORD = sizeof(uintptr_t), VIEW = 80 /* of a Py_buffer */ };

uintptr_t bpor_parsed_argument(struct targets *targets)
{
    const struct arguments *all = targets->arguments;
    unsigned number = targets->next++;
    return number < all->registers ? all->in_registers[number] : all->on_stack[number - all->registers];
}

struct targets bpor_parsed_targets(const struct parsing *parsing, const struct arguments *arguments)
{
    struct targets targets = {arguments, NULL, 0, parsing->first, false};
    if (parsing->first == 0)
        return targets;
    if (parsing->format)
        targets.format = (const char *)arguments->in_registers[parsing->format];
    else
        targets.words = (unsigned)arguments->in_registers[parsing->first - 1]; /* of PyArg_UnpackTuple: how many at most */
    return targets;
}

static size_t bytes_of(char unit)
{
    if (strchr("bBc", unit))
        return 1;
    if (strchr("hH", unit))
        return 2;
    if (strchr("iIpCf", unit))
        return 4;
    return unit == 'D' ? 2 * WORD : WORD;
}

static struct target next_of_format(struct targets *targets)
{
    const char *at = targets->format + strspn(targets->format, "()|$ ");
    char unit = *at++;
    if (unit == 'e') { /* in which encoding, then where to */
        bpor_parsed_argument(targets);
        at += *at != '\0';
    } else if (unit == 'O' && (*at == '!' || *at == '&')) { /* of which type, or converted by what */
        bpor_parsed_argument(targets);
        at++;
    }
    bool view = *at == '*';
    targets->length = *at == '#';
    targets->format = at + (view || targets->length);
    return (struct target){bpor_parsed_argument(targets), view ? VIEW : bytes_of(unit)};
}

/* What follows is a name for messages, or nothing. */
static bool is_at_end(const struct targets *targets)
{
    char next = targets->format[strspn(targets->format, "()|$ ")];
    return next == '\0' || !strchr("szyuZUSYOwebBhHiIlkLKncCfdDp", next);
}

bool bpor_parsed_next(struct targets *targets, struct target *target)
{
    if (targets->length) {
        targets->length = false;
        *target = (struct target){bpor_parsed_argument(targets), WORD};
        return true;
    }
    if (targets->format) {
        if (is_at_end(targets))
            return false;
        *target = next_of_format(targets);
        return true;
    }
    if (targets->words == 0)
        return false;
    targets->words--;
    *target = (struct target){bpor_parsed_argument(targets), WORD};
    return true;
}
