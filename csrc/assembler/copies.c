/* A structure that gcc copies in place: one or two callbacks tell of all its bytes, the write first, and then come the moves.
 *
 *     call __tsan_write_range      becomes    movl $16, %edx; call bpor_copy_to      (so much is written before the other half)
 *     call __tsan_read_range                  movl $16, %edx; call bpor_copy_from
 *     movdqu (%rbx), %xmm0                    movdqu (%rbx), %xmm0
 *     movups %xmm0, (%rax)                    movups %xmm0, (%rax); call bpor_copy_rest
 *     movq 16(%rbx), %rdx                     movq 16(%rbx), %rdx
 *     movq %rdx, 16(%rax)                     movq %rdx, 16(%rax)
 *
 * So a copy is told when it is made, and in two steps, as memcpy is: others may see the first half alone. Moves that are not
 * understood leave the callbacks as they are. */
#define _GNU_SOURCE
#include "assembler/copies.h"
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MOVES = 160, MOST_LINES = 1000 };

/* One move between memory and a register, or of a number into memory. */
struct move {
    const char *key; /* the operand behind its offset */
    size_t key_bytes;
    long offset;
    unsigned bytes;
    unsigned line; /* from the first callback on */
    bool stores;
};

struct region {
    struct move moves[MOST_MOVES];
    unsigned count;
};

struct text {
    const char *at;
    size_t bytes;
};

static struct text trimmed(const char *at, size_t bytes)
{
    while (bytes && (*at == ' ' || *at == '\t'))
        at++, bytes--;
    while (bytes && (at[bytes - 1] == ' ' || at[bytes - 1] == '\t'))
        bytes--;
    return (struct text){at, bytes};
}

static bool begins(struct text text, const char *with)
{
    return text.bytes >= strlen(with) && memcmp(text.at, with, strlen(with)) == 0;
}

static bool has(struct text text, const char *part)
{
    return memmem(text.at, text.bytes, part, strlen(part)) != NULL;
}

/* ---- callbacks ---- */

enum callback { NO_CALLBACK, WRITES_ALL, READS_ALL };

/* `bytes`: 0 if a register says it. */
static enum callback callback_of(struct text line, unsigned *bytes)
{
    static const struct {
        const char *name;
        enum callback callback;
        unsigned bytes;
    } known[] = {{"__tsan_write_range", WRITES_ALL, 0},
                 {"__tsan_read_range", READS_ALL, 0},
                 {"__tsan_write16", WRITES_ALL, 16},
                 {"__tsan_read16", READS_ALL, 16}};
    if (!begins(line, "call"))
        return NO_CALLBACK;
    struct text name = trimmed(line.at + 4, line.bytes - 4);
    if (begins(name, "*")) /* -fno-plt */
        name = (struct text){name.at + 1, name.bytes - 1};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (begins(name, known[i].name) && (name.bytes == strlen(known[i].name) || name.at[strlen(known[i].name)] == '@')) {
            *bytes = known[i].bytes;
            return known[i].callback;
        }
    return NO_CALLBACK;
}

/* movl $200, %esi */
static void follow_size(struct text line, unsigned *size)
{
    if (begins(line, "movl") && has(line, "%esi") && memchr(line.at, '$', line.bytes) && line.at[line.bytes - 4] == '%')
        *size = (unsigned)strtoul((const char *)memchr(line.at, '$', line.bytes) + 1, NULL, 0);
    else if (!begins(line, ".") && (has(line, "%rsi") || has(line, "%esi") || begins(line, "call")))
        *size = 0;
}

/* ---- moves ---- */

static unsigned bytes_of(struct text mnemonic)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } known[] = {{"movb", 1},    {"movw", 2},    {"movl", 4},    {"movq", 8},    {"movd", 4},   {"movss", 4},
                 {"movsd", 8},   {"movlps", 8},  {"movhps", 8},  {"movlpd", 8},  {"movhpd", 8}, {"movaps", 16},
                 {"movups", 16}, {"movapd", 16}, {"movupd", 16}, {"movdqa", 16}, {"movdqu", 16}};
    if (begins(mnemonic, "v"))
        mnemonic = (struct text){mnemonic.at + 1, mnemonic.bytes - 1};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (mnemonic.bytes == strlen(known[i].name) && begins(mnemonic, known[i].name))
            return known[i].bytes;
    return 0;
}

/* The comma between two operands, of which one may be (%rax,%rbx,8); NULL: there are more or less. */
static const char *between_operands(struct text operands)
{
    const char *found = NULL;
    int depth = 0;
    for (const char *at = operands.at; at < operands.at + operands.bytes; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at == ',' && depth == 0) {
            if (found)
                return NULL;
            found = at;
        }
    }
    return found;
}

static bool is_memory(struct text operand)
{
    return memchr(operand.at, '(', operand.bytes) && !has(operand, "%fs:") && !has(operand, "%gs:");
}

/* 16+name(%rip), -8(%rbp), name(%rip) */
static void read_operand(struct text operand, struct move *move)
{
    char *end;
    move->offset = strtol(operand.at, &end, 10);
    if (*end != '+' && *end != '(')
        move->offset = 0, end = (char *)operand.at; /* 13name */
    end += *end == '+';
    move->key = end;
    move->key_bytes = (size_t)(operand.at + operand.bytes - end);
}

static void add_move(struct region *region, struct text line, unsigned number)
{
    size_t length = 0;
    while (length < line.bytes && line.at[length] != ' ' && line.at[length] != '\t')
        length++;
    unsigned bytes = bytes_of((struct text){line.at, length});
    struct text operands = trimmed(line.at + length, line.bytes - length);
    const char *comma = bytes ? between_operands(operands) : NULL;
    if (comma == NULL || region->count == MOST_MOVES)
        return;
    struct text from = trimmed(operands.at, (size_t)(comma - operands.at));
    struct text to = trimmed(comma + 1, (size_t)(operands.at + operands.bytes - comma - 1));
    if (is_memory(from) == is_memory(to))
        return;
    struct move *move = &region->moves[region->count++];
    *move = (struct move){.bytes = bytes, .line = number, .stores = is_memory(to)};
    read_operand(is_memory(to) ? to : from, move);
}

static bool alike(const struct move *one, const struct move *other)
{
    return one->stores == other->stores && one->key_bytes == other->key_bytes &&
           memcmp(one->key, other->key, one->key_bytes) == 0;
}

/* Moves of one operand that lie within the structure. */
struct group {
    const struct region *region;
    const struct move *lowest;
    unsigned bytes;
};

enum { LEAST_BYTES = 16, MOST_BYTES = 512 };

/* How much of the structure was moved up to a line: so many bytes from its begin on; negative: up to its end; NEITHER. */
enum { NEITHER = MOST_BYTES + 1 };
static int moved(const struct group *group, unsigned last)
{
    bool done[MOST_BYTES] = {false};
    const struct region *region = group->region;
    for (const struct move *move = region->moves; move < region->moves + region->count && move->line <= last; move++)
        for (long at = move->offset - group->lowest->offset, end = at + (long)move->bytes; alike(group->lowest, move) && at < end;
             at++)
            if (at >= 0 && at < (long)group->bytes)
                done[at] = true;
    unsigned count = 0, first = 0, behind = 0;
    for (unsigned i = 0; i < group->bytes; i++)
        count += done[i];
    while (first < group->bytes && done[first])
        first++;
    while (behind < group->bytes && done[group->bytes - 1 - behind])
        behind++;
    return count == first ? (int)first : count == behind ? -(int)behind : NEITHER;
}

/* The moves that together are the whole structure. */
static bool whole(const struct region *region, bool stores, unsigned bytes, struct group *group)
{
    for (const struct move *move = region->moves;
         bytes >= LEAST_BYTES && bytes <= MOST_BYTES && move < region->moves + region->count; move++) {
        *group = (struct group){region, move, bytes};
        if (move->stores == stores && moved(group, UINT_MAX) == (int)bytes)
            return true;
    }
    return false;
}

/* The line after which about half of it is done, so that what remains can be told. 0: none. */
static unsigned half_of(const struct group *leading, const struct group *other)
{
    unsigned best = 0, least = leading->bytes;
    const struct region *region = leading->region;
    for (const struct move *move = region->moves; move < region->moves + region->count; move++) {
        int done = moved(leading, move->line);
        unsigned bytes = (unsigned)abs(done),
                 away = bytes * 2 > leading->bytes ? bytes * 2 - leading->bytes : leading->bytes - bytes * 2;
        if (bytes && bytes < leading->bytes && away < least && !(other && moved(other, move->line) == NEITHER)) {
            best = move->line;
            least = away;
        }
    }
    return best;
}

/* ---- the whole ---- */

static bool ends_region(struct text line)
{
    if (line.bytes && line.at[line.bytes - 1] == ':') /* .LVL12: and the like only tell a debugger something */
        return !begins(line, ".L") || (line.bytes > 2 && line.at[2] >= '0' && line.at[2] <= '9');
    return begins(line, "j") || begins(line, "call") || begins(line, "ret") || begins(line, "rep") || has(line, "%ymm") ||
           has(line, "%zmm") || begins(line, ".cfi_endproc");
}

static struct text line_at(const char **next, const char *end)
{
    const char *stop = memchr(*next, '\n', (size_t)(end - *next)), *at = *next;
    *next = stop ? stop + 1 : end;
    return trimmed(at, (size_t)((stop ? stop : end) - at));
}

void bpor_copy_follow(const char *line, size_t bytes, unsigned *size)
{
    follow_size(trimmed(line, bytes), size);
}

bool bpor_copy_read(const char *at, const char *end, unsigned size, struct structure_copy *copy)
{
    static struct region region;
    struct group stores, loads;
    unsigned bytes, number = 0, second_size = 0;
    enum callback first = callback_of(line_at(&at, end), &bytes), second = NO_CALLBACK;
    if (first == NO_CALLBACK)
        return false;
    *copy = (struct structure_copy){.bytes = bytes ? bytes : size, .writes = first == WRITES_ALL};
    region.count = 0;
    while (at < end && ++number < MOST_LINES) {
        struct text line = line_at(&at, end);
        if (first == WRITES_ALL && second == NO_CALLBACK && (second = callback_of(line, &bytes)) == READS_ALL) {
            if (whole(&region, true, copy->bytes, &stores)) { /* that was a structure of its own */
                second = NO_CALLBACK;
                break;
            }
            region.count = 0;
            copy->read_line = number;
            if ((bytes ? bytes : second_size) != copy->bytes)
                return false;
            continue;
        }
        if (ends_region(line))
            break;
        follow_size(line, &second_size);
        add_move(&region, line, number);
    }
    copy->reads = first == READS_ALL || second == READS_ALL;
    if ((copy->writes && !whole(&region, true, copy->bytes, &stores)) ||
        (copy->reads && !whole(&region, false, copy->bytes, &loads)))
        return false;
    copy->half_line = copy->writes ? half_of(&stores, copy->reads ? &loads : NULL) : half_of(&loads, NULL);
    copy->written = copy->writes ? moved(&stores, copy->half_line ? copy->half_line : UINT_MAX) : 0;
    copy->read = copy->reads ? moved(&loads, copy->half_line ? copy->half_line : UINT_MAX) : 0;
    return true;
}
