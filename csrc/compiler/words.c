/* Reads a command line of gcc or clang. Options that are unknown here are passed on: only those that decide between compiling and
 * linking, and those that take the next word, have to be known. */
#define _GNU_SOURCE
#include "compiler/words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options whose value may stand in the next word, so that it is not taken for an input. */
static const char *const with_value[] = {"-o",
                                         "-x",
                                         "-I",
                                         "-D",
                                         "-U",
                                         "-L",
                                         "-l",
                                         "-B",
                                         "-T",
                                         "-u",
                                         "-z",
                                         "-e",
                                         "-h",
                                         "-MF",
                                         "-MT",
                                         "-MQ",
                                         "-MJ",
                                         "-include",
                                         "-imacros",
                                         "-isystem",
                                         "-iquote",
                                         "-idirafter",
                                         "-iprefix",
                                         "-iwithprefix",
                                         "-isysroot",
                                         "-Xlinker",
                                         "-Xclang",
                                         "-Xassembler",
                                         "-Xpreprocessor",
                                         "-mllvm",
                                         "-target",
                                         "--param",
                                         "-aux-info",
                                         "-dumpbase",
                                         "-dumpdir",
                                         "-wrapper",
                                         "-specs",
                                         "-arch",
                                         "--sysroot",
                                         NULL};

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

static bool has_suffix(const char *word, const char *suffix)
{
    size_t length = strlen(word), tail = strlen(suffix);
    return length > tail && strcmp(word + length - tail, suffix) == 0;
}

/* Objects, archives and libraries are linked; everything else is compiled. */
static bool is_linked_only(const char *file)
{
    static const char *const suffixes[] = {".o", ".a", ".so", ".lo", ".obj", ".ld", ".lds", ".ver", ".map"};
    for (unsigned i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (has_suffix(file, suffixes[i]))
            return true;
    return strstr(file, ".so.") != NULL;
}

static bool stops_before_linking(const char *word)
{
    static const char *const stops[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile", "-emit-llvm", NULL};
    return is_one_of(word, stops);
}

static void read_option(const char *word, struct request *request)
{
    if (stops_before_linking(word))
        request->links = false;
    else if (strcmp(word, "-r") == 0)
        request->relocatable = true;
    else if (strncmp(word, "-fsanitize=", 11) == 0 && strcmp(word + 11, "thread") != 0)
        request->other_sanitizer |= strstr(word, "address") || strstr(word, "memory") || strstr(word, "leak");
    else if (word[1] == 'g' && strncmp(word, "-gcc", 4) != 0)
        request->debug_chosen = true;
}

static void read_words(char **words, struct request *request);

/* Words separated by white space; quoting matters to the compiler, not to us. */
static void read_response_file(const char *path, struct request *request)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (file == NULL)
        return; /* the compiler will say so */
    if (getdelim(&text, &room, '\0', file) > 0) {
        for (char *rest = text, *word; (word = strtok_r(rest, " \t\n\r\"'", &rest)) != NULL;)
            read_words((char *[]){word, NULL}, request);
    }
    free(text);
    fclose(file);
}

static void read_words(char **words, struct request *request)
{
    for (; *words; words++) {
        const char *word = *words;
        if (word[0] == '@') {
            read_response_file(word + 1, request);
        } else if (word[0] == '-' && word[1] != '\0') {
            read_option(word, request);
            if (is_one_of(word, with_value) && words[1])
                words++;
        } else {
            request->has_input = true;
            request->has_source |= !is_linked_only(word);
        }
    }
}

struct request read_request(char **words)
{
    struct request request = {.links = true};
    read_words(words, &request);
    return request;
}
