/* One statement of assembler code, in either syntax. If in doubt it counts as a memory access: the controller decodes the
 * instruction later and knows for certain. */
#define _GNU_SOURCE
#include "assembler/marks.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

struct text {
    const char *at;
    size_t bytes;
};

static struct text trimmed(struct text text)
{
    while (text.bytes && isspace((unsigned char)*text.at))
        text = (struct text){text.at + 1, text.bytes - 1};
    while (text.bytes && isspace((unsigned char)text.at[text.bytes - 1]))
        text.bytes--;
    return text;
}

/* Up to the first white space; `text` goes on behind it. */
static struct text word(struct text *text)
{
    size_t length = 0;
    while (length < text->bytes && !isspace((unsigned char)text->at[length]))
        length++;
    struct text found = {text->at, length};
    *text = trimmed((struct text){text->at + length, text->bytes - length});
    return found;
}

static bool begins(struct text text, const char *with)
{
    size_t length = strlen(with);
    return text.bytes >= length && memcmp(text.at, with, length) == 0;
}

static bool begins_with_one_of(struct text text, const char *const *list)
{
    for (; *list; list++)
        if (begins(text, *list))
            return true;
    return false;
}

static bool is_one_of(struct text text, const char *const *list)
{
    for (; *list; list++)
        if (text.bytes == strlen(*list) && begins(text, *list))
            return true;
    return false;
}

static bool has(struct text text, const char *any_of)
{
    for (size_t i = 0; i < text.bytes; i++)
        if (strchr(any_of, text.at[i]))
            return true;
    return false;
}

/* A label in front of an instruction, and prefixes that change nothing here. */
static struct text without_label(struct text text)
{
    for (struct text rest = text; rest.bytes;) {
        struct text first = word(&rest);
        if (first.at[first.bytes - 1] != ':')
            break;
        text = rest;
    }
    return text;
}

/* A number or a register, in AT&T's syntax; in Intel's a register looks like a variable. */
static bool is_no_memory(struct text operand)
{
    operand = trimmed(operand);
    return operand.bytes == 0 || *operand.at == '%' || *operand.at == '$';
}

static bool names_memory(struct text operands)
{
    if (has(operands, "([") || memmem(operands.at, operands.bytes, ":", 1))
        return true;
    while (operands.bytes) {
        const char *comma = memchr(operands.at, ',', operands.bytes);
        size_t length = comma ? (size_t)(comma - operands.at) : operands.bytes;
        if (!is_no_memory((struct text){operands.at, length}))
            return true;
        length += comma != NULL;
        operands = (struct text){operands.at + length, operands.bytes - length};
    }
    return false;
}

/* Instructions whose operand, if there is one, is only an address. Pauses, reads of the clock and system calls are handled as
 * they are in all other code. */
static bool is_harmless(struct text name)
{
    static const char *const kinds[] = {"lea", "nop", "prefetch", "call", "loop", "cldemote", "clflush", "clwb", NULL};
    return *name.at == '.' || *name.at == '#' || *name.at == '/' || *name.at == 'j' || begins_with_one_of(name, kinds);
}

static bool accesses_without_operand(struct text name)
{
    static const char *const names[] = {"mfence", "movsb", "movsw", "movsl", "movsd", "movsq", "stosb", "stosw", "stosl", "stosd",
                                        "stosq",  "lodsb", "lodsw", "lodsl", "lodsd", "lodsq", "scasb", "scasw", "scasl", "scasd",
                                        "scasq",  "cmpsb", "cmpsw", "cmpsl", "cmpsd", "cmpsq", "xlat",  "xlatb", NULL};
    static const char *const kinds[] = {"maskmov", "vmaskmovdqu", NULL};
    return is_one_of(name, names) || begins_with_one_of(name, kinds);
}

/* Where the thread is, which stands at the beginning of its own block and never changes (ELF Handling For Thread-Local Storage,
 * 4.3): headers of a free-threaded Python ask for it at every count of a reference. */
static bool asks_for_thread_pointer(struct text name, struct text operands)
{
    static const char *const moves[] = {"mov", "movq", NULL};
    static const char *const sources[] = {"%fs:0", "%fs:0x0", "fs:0", "fs:[0]", "qword ptr fs:[0]", NULL};
    const char *comma = memchr(operands.at, ',', operands.bytes);
    if (!is_one_of(name, moves) || comma == NULL)
        return false;
    size_t length = (size_t)(comma - operands.at);
    struct text first = trimmed((struct text){operands.at, length});
    struct text second = trimmed((struct text){comma + 1, operands.bytes - length - 1});
    return is_one_of(*first.at == '%' ? first : second, sources);
}

int bpor_statement_accesses(const char *statement, size_t bytes)
{
    static const char *const prefixes[] = {"rep", "repe", "repz", "repne", "repnz", "data16", "notrack", NULL};
    struct text rest = without_label(trimmed((struct text){statement, bytes}));
    struct text name = word(&rest);
    while (is_one_of(name, prefixes) && rest.bytes)
        name = word(&rest);
    if (name.bytes == 0 || is_harmless(name) || asks_for_thread_pointer(name, rest))
        return false;
    return begins(name, "lock") || accesses_without_operand(name) || names_memory(rest);
}

int bpor_instruction_is_untold(const char *statement, size_t bytes)
{
    static const char *const kinds[] = {"movnt",    "vmovnt",   "maskmov",   "vmaskmov",  "vpmaskmov",  "vgather",
                                        "vpgather", "vscatter", "vpscatter", "vcompress", "vpcompress", "vexpand",
                                        "vpexpand", "lddqu",    "vlddqu",    "xsave",     "xrstor",     "fxsave",
                                        "fxrstor",  "movdir",   "clzero",    NULL};
    struct text rest = trimmed((struct text){statement, bytes});
    struct text name = word(&rest);
    bool in_memory = has(rest, "([");
    bool masked = in_memory && memmem(rest.at, rest.bytes, "{%k", 3);
    return masked || (begins_with_one_of(name, kinds) && (in_memory || accesses_without_operand(name)));
}
