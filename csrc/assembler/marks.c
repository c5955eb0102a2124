/* Reads what a compiler wrote for its assembler, line by line. gcc and clang put inline assembler between #APP and #NO_APP; those
 * two lines become the marks. */
#define _GNU_SOURCE
#include "assembler/marks.h"
#include "assembler/copies.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    const char *at;
    size_t bytes; /* without its end */
};

struct reader {
    const char *next;
    const char *end;
    bool in_function; /* and not in assembler outside of any */
    FILE *out;
    unsigned marks;
    unsigned size; /* the second argument of the next call, if it is a number */
    struct fast_paths fast;
};

static bool next_line(struct reader *reader, struct line *line)
{
    if (reader->next >= reader->end)
        return false;
    const char *stop = memchr(reader->next, '\n', (size_t)(reader->end - reader->next));
    line->at = reader->next;
    line->bytes = (size_t)((stop ? stop : reader->end) - reader->next);
    reader->next = stop ? stop + 1 : reader->end;
    return true;
}

static struct line trimmed(struct line line)
{
    while (line.bytes && (*line.at == ' ' || *line.at == '\t'))
        line = (struct line){line.at + 1, line.bytes - 1};
    return line;
}

static bool is(struct line line, const char *text)
{
    line = trimmed(line);
    return line.bytes == strlen(text) && memcmp(line.at, text, line.bytes) == 0;
}

static bool begins(struct line line, const char *text)
{
    line = trimmed(line);
    return line.bytes >= strlen(text) && memcmp(line.at, text, strlen(text)) == 0;
}

static void write_line(struct reader *reader, struct line line)
{
    fwrite(line.at, 1, line.bytes, reader->out);
    fputc('\n', reader->out);
}

static bool any_statement(struct line line, int (*holds)(const char *statement, size_t bytes))
{
    line = trimmed(line);
    while (line.bytes && *line.at != '#') {
        const char *stop = memchr(line.at, ';', line.bytes);
        size_t length = stop ? (size_t)(stop - line.at) : line.bytes;
        if (holds(line.at, length))
            return true;
        length += stop != NULL;
        line = trimmed((struct line){line.at + length, line.bytes - length});
    }
    return false;
}

/* gcc says both, clang too; a function without a table for the unwinder has the second alone. */
static void follow_functions(struct reader *reader, struct line line)
{
    if (begins(line, ".cfi_startproc") || (begins(line, ".type") && memmem(line.at, line.bytes, "@function", 9)))
        reader->in_function = true;
    else if (begins(line, ".cfi_endproc") || begins(line, ".size"))
        reader->in_function = false;
}

/* The statement is a prefix alone, meant for the instruction that the compiler puts after it. The two must not be separated. */
static bool ends_in_prefix(struct line line)
{
    static const char *const prefixes[] = {"lock", "rep", "repz", "repe", "repne", "repnz", NULL};
    while (line.bytes && strchr("; \t", line.at[line.bytes - 1]))
        line.bytes--;
    for (const char *const *prefix = prefixes; *prefix; prefix++) {
        size_t length = strlen(*prefix);
        if (line.bytes >= length && memcmp(line.at + line.bytes - length, *prefix, length) == 0 &&
            (line.bytes == length || strchr("; \t", line.at[line.bytes - length - 1])))
            return true;
    }
    return false;
}

/* From #APP to #NO_APP. */
static void copy_assembler(struct reader *reader, struct line first)
{
    struct reader ahead = *reader;
    struct line line, last = {"", 0};
    bool accesses = false;
    while (next_line(&ahead, &line) && !is(line, "#NO_APP")) {
        accesses |= any_statement(line, bpor_statement_accesses);
        if (trimmed(line).bytes && !begins(line, "#") && !begins(line, "."))
            last = line;
    }
    bool marked = accesses && reader->in_function && !ends_in_prefix(last);
    write_line(reader, marked ? (struct line){MARK_BEGIN, strlen(MARK_BEGIN)} : first);
    while (next_line(reader, &line) && !is(line, "#NO_APP"))
        write_line(reader, line);
    if (marked)
        write_line(reader, (struct line){MARK_END, strlen(MARK_END)});
    else
        write_line(reader, accesses ? (struct line){NOTE_OUTSIDE, strlen(NOTE_OUTSIDE)} : line);
    reader->marks += accesses;
    reader->fast.counted = false;
}

/* Registers that a call may change hold nothing before it but its arguments. */
static void call_copy(struct reader *reader, const struct structure_copy *copy, int first, const char *function)
{
    fprintf(reader->out, "\tmovl\t$%u, %%esi; movl\t$%d, %%edx; call\tbpor_copy_%s@PLT\n", copy->bytes, first, function);
}

/* A structure that is copied here, from its first callback to where its half is done. */
static void copy_structure(struct reader *reader, struct line line, const struct structure_copy *copy)
{
    unsigned last = copy->half_line ? copy->half_line : copy->read_line;
    for (unsigned number = 0;; number++) {
        if (number == 0 && copy->writes)
            call_copy(reader, copy, copy->written, copy->reads ? "to" : "write");
        else if (number == copy->read_line)
            call_copy(reader, copy, copy->read, copy->writes ? "from" : "read");
        else if (number == copy->half_line)
            fprintf(reader->out, "%.*s; call\tbpor_copy_rest@PLT\n", (int)line.bytes, line.at);
        else
            write_line(reader, line);
        if (number == last || !next_line(reader, &line))
            break;
    }
    reader->marks++;
    reader->fast.counted = false;
}

static void copy_line(struct reader *reader, struct line line)
{
    struct structure_copy copy;
    follow_functions(reader, line);
    if (reader->in_function && begins(line, "call") && bpor_copy_read(line.at, reader->end, reader->size, &copy)) {
        reader->size = 0;
        copy_structure(reader, line, &copy);
        return;
    }
    bpor_copy_follow(line.at, line.bytes, &reader->size);
    if (bpor_write_fast_path(&reader->fast, reader->out, line.at, line.bytes))
        return;
    if (!reader->in_function || !any_statement(line, bpor_instruction_is_untold)) {
        write_line(reader, line);
        return;
    }
    fprintf(reader->out, "%s; %.*s; %s\n", MARK_BEGIN, (int)line.bytes, line.at, MARK_END);
    reader->marks++;
}

unsigned bpor_mark_assembler(const char *text, size_t bytes, bool fast, char **marked, size_t *marked_bytes)
{
    struct reader reader = {
        .next = text, .end = text + bytes, .fast = {.off = !fast}, .out = open_memstream(marked, marked_bytes)};
    struct line line;
    if (reader.out == NULL)
        return 0;
    while (next_line(&reader, &line))
        if (is(line, "#APP"))
            copy_assembler(&reader, line);
        else
            copy_line(&reader, line);
    if (reader.fast.count)
        bpor_write_fast_path_pointer(reader.out);
    return fclose(reader.out) == 0 ? reader.marks + reader.fast.count : 0;
}
