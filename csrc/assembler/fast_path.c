/* The call of a callback for a plain access, with the callback's own first test in front of it (memory/recent.h): an access that
 * needs nothing more does not call. The compiler takes the registers that a function may change for changed, so the test can use
 * them; the address is in rdi, where the call needs it. The return address, by which an access is known, is that of the call. */
#define _GNU_SOURCE
#include "assembler/marks.h"
#include "instrument/recent_layout.h"
#include <stdbool.h>
#include <string.h>

_Static_assert(RECENT_AT_MODE == 0, "what the pointer of a file without the library points to is the mode alone");

struct callback {
    bool write;
    unsigned shift; /* logarithm of the size */
};

static bool skip(const char **at, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

static void skip_blanks(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
}

static bool size_of(const char **at, const char *end, unsigned *shift)
{
    static const char *const sizes[RECENT_SIZES] = {"1", "2", "4", "8", "16"};
    for (*shift = RECENT_SIZES; (*shift)-- > 0;)
        if (skip(at, end, sizes[*shift]))
            return true;
    return false;
}

/* Direct, through the linker's table of procedures or through that of addresses (-fno-plt). */
static bool read_call(const char *at, const char *end, struct callback *found)
{
    skip_blanks(&at, end);
    if (!skip(&at, end, "callq") && !skip(&at, end, "call"))
        return false;
    const char *operand = at;
    skip_blanks(&at, end);
    if (at == operand)
        return false;
    bool indirect = skip(&at, end, "*");
    if (!skip(&at, end, "__tsan_"))
        return false;
    skip(&at, end, "unaligned_");
    found->write = skip(&at, end, "write");
    if ((!found->write && !skip(&at, end, "read")) || !size_of(&at, end, &found->shift))
        return false;
    if (indirect ? !skip(&at, end, "@GOTPCREL(%rip)") : (skip(&at, end, "@PLT"), false))
        return false;
    skip_blanks(&at, end);
    return at == end || *at == '#';
}

/* ---- what lies between two accesses ---- */

static bool all_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at == end;
}

/* gcc's, for debug information; nothing jumps there. (clang's blocks are .LBB0_1.) */
static bool is_no_way_in(const char *at, const char *colon)
{
    static const char *const kinds[] = {".LVL", ".LBB", ".LBE", ".LBI", NULL};
    for (const char *const *kind = kinds; *kind; kind++) {
        const char *number = at;
        if (skip(&number, colon, *kind))
            return number < colon && all_digits(number, colon);
    }
    return false;
}

static bool begins_anew(const char *at, const char *end)
{
    const char *colon = memchr(at, ':', (size_t)(end - at));
    const char *word = at;
    skip_blanks(&word, end);
    if (colon && !memchr(at, '"', (size_t)(colon - at)))
        return !is_no_way_in(word, colon) || colon + 1 != end;
    return skip(&word, end, "call");
}

static void follow(struct fast_paths *paths, const char *at, const char *end)
{
    const char *word = at;
    skip_blanks(&word, end);
    if (skip(&word, end, ".intel_syntax"))
        paths->intel = true;
    else if (skip(&word, end, ".att_syntax"))
        paths->intel = false;
    else if (begins_anew(at, end))
        paths->counted = false;
}

/* ---- the test ---- */

/* The last comparison says whether the table has the access. */
static void write_look(FILE *out, struct callback callback)
{
    unsigned shift = callback.shift, scale = 8 >> (shift < 3 ? shift : 3);
    unsigned key = RECENT_AT_KEYS + (2 * shift + callback.write) * 8;
    fprintf(out, "movl %%edi, %%eax; andl $%u, %%eax; ", (RECENT_SLOTS - 1u) << shift);
    if (shift > 3)
        fprintf(out, "shrl $%u, %%eax; ", shift - 3);
    fprintf(out, "movq %d(%%rdx,%%rax,%u), %%rcx; xorq %%rdi, %%rcx; ", RECENT_AT_SLOTS, scale);
    if (callback.write)
        fprintf(out, "cmpq %u(%%rdx), %%rcx; ", key);
    else
        fprintf(out, "xorq %u(%%rdx), %%rcx; addq %%rcx, %%rcx; ", key); /* whether it was written does not matter */
}

static void write_call(FILE *out, const char *line, size_t bytes, bool counted)
{
    static const unsigned char uncounted[] = {RECENT_UNCOUNTED};
    const char *comment = memchr(line, '#', bytes);
    fwrite(line, 1, comment ? (size_t)(comment - line) : bytes, out);
    for (unsigned i = 0; !counted && i < sizeof uncounted; i++)
        fprintf(out, "%s%u", i ? "," : "; .byte ", uncounted[i]);
}

/* One line, as the call was: lines keep their numbers. */
bool bpor_write_fast_path(struct fast_paths *paths, FILE *out, const char *line, size_t bytes)
{
    struct callback callback;
    unsigned number = paths->count;
    bool counts = !paths->counted;
    if (paths->off || paths->intel || !read_call(line, line + bytes, &callback)) {
        follow(paths, line, line + bytes);
        return false;
    }
    fprintf(out, "movq %s(%%rip), %%rdx; cmpb $%d, %d(%%rdx); jb .Lbpor_call%u; ja .Lbpor_%s%u; ", RECENT_NAME, RECENT_TABLE,
            RECENT_AT_MODE, number, counts ? "count" : "done", number);
    write_look(out, callback);
    if (counts)
        fprintf(out, "jne .Lbpor_call%u; .Lbpor_count%u: movq %d(%%rdx), %%rcx; subl $1, %%fs:(%%rcx); jg .Lbpor_done%u; ",
                number, number, RECENT_AT_LEFT, number);
    else
        fprintf(out, "je .Lbpor_done%u; ", number);
    fprintf(out, ".Lbpor_call%u: ", number);
    write_call(out, line, bytes, counts);
    fprintf(out, "; .Lbpor_done%u:\n", number);
    paths->count++;
    paths->counted = true;
    return true;
}

/* The module's pointer: one in a module, whoever is linked first. What it points to says that every access calls. */
void bpor_write_fast_path_pointer(FILE *out)
{
    fprintf(out,
            "\t.pushsection .data.rel.local.%s,\"awG\",@progbits,%s,comdat\n\t.balign 8\n\t.weak %s\n\t.hidden %s\n"
            "\t.type %s, @object\n\t.size %s, 8\n%s:\n\t.quad .Lbpor_every_access_calls\n"
            ".Lbpor_every_access_calls:\n\t.quad %d\n\t.popsection\n",
            RECENT_NAME, RECENT_NAME, RECENT_NAME, RECENT_NAME, RECENT_NAME, RECENT_NAME, RECENT_NAME, RECENT_CALL);
}
