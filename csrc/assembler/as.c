/* The assembler that the wrapped compilers find first (-B). It marks accesses without a callback, lets callbacks be called only
 * where they have something to do, and then runs the real assembler. A file without accesses is passed on unchanged. */
#define _GNU_SOURCE
#include "assembler/marks.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STEP = 1 << 16 };

static char *read_all(int fd, size_t *bytes)
{
    char *text = NULL;
    for (size_t room = 0;;) {
        if (*bytes == room && (text = realloc(text, room += STEP + room)) == NULL)
            return NULL;
        ssize_t got = read(fd, text + *bytes, room - *bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 ? text : NULL;
        *bytes += (size_t)got;
    }
}

/* A file in memory, which outlives this program. */
static char *as_file(const char *text, size_t bytes)
{
    char *path;
    int fd = memfd_create("assembler", 0);
    while (fd >= 0 && bytes) {
        ssize_t done = write(fd, text, bytes);
        if (done <= 0)
            return NULL;
        text += done;
        bytes -= (size_t)done;
    }
    if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0 || asprintf(&path, "/proc/self/fd/%d", fd) < 0)
        return NULL;
    return path;
}

/* The input as it shall be assembled; NULL: as it is. `input`: NULL or "-": it comes through a pipe. */
static char *marked_input(const char *input)
{
    char *marked = NULL;
    size_t bytes = 0, marked_bytes = 0;
    bool from_pipe = input == NULL || strcmp(input, "-") == 0;
    int fd = from_pipe ? STDIN_FILENO : open(input, O_RDONLY | O_CLOEXEC);
    char *text = fd >= 0 ? read_all(fd, &bytes) : NULL;
    if (text == NULL)
        return NULL;                                    /* the real one will say why */
    const char *fast = getenv("BPOR_NATIVE_FAST_PATH"); /* csrc/compiler/cc.c */
    if (bpor_mark_assembler(text, bytes, !fast || strcmp(fast, "no") != 0, &marked, &marked_bytes))
        return as_file(marked, marked_bytes);
    return from_pipe ? as_file(text, bytes) : NULL;
}

/* ---- the command line ---- */

static char **words;
static unsigned count;

static void add(char *word)
{
    words = realloc(words, (count + 2) * sizeof *words);
    if (words == NULL)
        exit(99);
    words[count++] = word;
    words[count] = NULL;
}

/* gcc hands over a file of words if it was given one; a backslash stands before what would end a word. */
static void add_from_file(const char *path, char *word)
{
    size_t bytes = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = fd >= 0 ? read_all(fd, &bytes) : NULL;
    if (text == NULL) {
        add(word);
        return;
    }
    for (size_t at = 0; at < bytes;) {
        char *from = text + at, *to = from;
        for (; at < bytes && !strchr(" \t\n", text[at]); at++) {
            at += text[at] == '\\' && at + 1 < bytes;
            *to++ = text[at];
        }
        if (to > from)
            add(strndup(from, (size_t)(to - from)));
        at++;
    }
}

/* The word that names the input; NULL: none does. */
static char **input_word(void)
{
    static const char *const with_value[] = {"-o", "-I", "--defsym", "--MD", "-MD", NULL};
    for (char **word = words + 1; *word; word++) {
        const char *const *option = with_value;
        while (*option && strcmp(*word, *option) != 0)
            option++;
        if (*option && word[1])
            word++;
        else if (**word != '-' || strcmp(*word, "-") == 0)
            return word;
    }
    return NULL;
}

/* ---- the real one ---- */

static bool is_this_program(const char *path)
{
    char own[PATH_MAX], other[PATH_MAX];
    return realpath("/proc/self/exe", own) && realpath(path, other) && strcmp(own, other) == 0;
}

/* gcc tells its own search path, ours first. */
static void become_gnu(void)
{
    char path[PATH_MAX], *rest = getenv("COMPILER_PATH");
    rest = rest ? strdup(rest) : NULL;
    for (char *directory; rest && (directory = strsep(&rest, ":"));)
        if (snprintf(path, sizeof path, "%s/as", directory) < (int)sizeof path && access(path, X_OK) == 0 &&
            !is_this_program(path))
            execv(path, words);
    execvp("as", words);
}

/* clang assembles itself what it has written: a GNU assembler may be older than it. */
static void become_clang(const char *compiler)
{
    const char *const first[] = {compiler, "-Wno-unused-command-line-argument", "-c", "-x", "assembler"};
    unsigned used = sizeof first / sizeof first[0];
    char **line = calloc(count + used + 1, sizeof *line);
    if (line == NULL)
        exit(99);
    memcpy(line, first, sizeof first);
    for (char **word = words + 1; *word; word++) {
        bool has_value = strcmp(*word, "-o") == 0 || strcmp(*word, "-I") == 0;
        if (strcmp(*word, "--64") == 0)
            continue;
        if (has_value || **word != '-' || strncmp(*word, "-I", 2) == 0)
            line[used++] = *word;
        else if (asprintf(&line[used++], "-Wa,%s", *word) < 0)
            exit(99);
        if (has_value && word[1])
            line[used++] = *++word;
    }
    execvp(compiler, line);
}

int main(int argc, char **argv)
{
    const char *clang = getenv("BPOR_NATIVE_ASSEMBLES"); /* csrc/compiler/cc.c */
    add(argv[0]);
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '@')
            add_from_file(argv[i] + 1, argv[i]);
        else
            add(argv[i]);
    char **input = input_word(), *marked = marked_input(input ? *input : NULL);
    if (marked && input)
        *input = marked;
    else if (marked)
        add(marked);
    if (clang)
        become_clang(clang);
    else
        become_gnu();
    fprintf(stderr, "bpor-native cc: cannot run the assembler: %s\n", strerror(errno));
    return 127;
}
