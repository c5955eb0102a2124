/* bpor-cc: gcc or clang with ThreadSanitizer's instrumentation and our stub in place of its runtime.
 *
 *   bpor-cc [cc|c++] [--bpor-compiler=NAME] ARGUMENT...     as the compiler itself; the default is gcc or g++
 *   ... [--bpor-fast-path=no] ...                           every plain access calls (csrc/assembler/fast_path.c)
 *   bpor-c++ ...                                            the same program as bpor-cc c++, for builds that want one word
 *
 * Our options come first, so that the user's win. A program, because a build calls it for every file. */
#define _GNU_SOURCE
#include "compiler/words.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ADDED = 192, PATH_ROOM = 64 };

/* gcc does not instrument these: their calls stay calls, and the linker sends them through the stub. */
static const char *const wrapped[] = {
#define CALLBACK(result, name, parameters, arguments)
#define WRAPPED(result, name, parameters, arguments) #name,
#include "instrument/callbacks.def"
#undef CALLBACK
#undef WRAPPED
    NULL};

static const char *const members[] = {
#define MEMBER(name) #name,
#include "instrument/members.def"
    NULL};

static char **line;
static unsigned used;

static void add(const char *word)
{
    line[used++] = (char *)word;
}

static void add_format(const char *format, const char *text)
{
    char *word;
    if (asprintf(&word, format, text) < 0)
        exit(99);
    add(word);
}

/* Beside this program lie directories: with libtsan.a, which is our stub, and with our assembler. */
static const char *directory(const char *name)
{
    static char path[PATH_MAX + PATH_ROOM];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0) {
        fputs("bpor-native cc: /proc is not mounted, so its own files cannot be found\n", stderr);
        exit(99);
    }
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, name);
    return path;
}

static bool is_clang(const char *compiler)
{
    const char *slash = strrchr(compiler, '/');
    return strstr(slash ? slash : compiler, "clang") != NULL;
}

/* A word that begins like this is ours: what follows, or NULL. */
static const char *own_option(const char *word, const char *option)
{
    size_t length = strlen(option);
    return word && strncmp(word, option, length) == 0 ? word + length : NULL;
}

/* What has no callback is marked in the text that the compiler writes for its assembler (csrc/assembler). */
static void add_assembler(const char *compiler, bool clang)
{
    add_format("-B%s/", directory("assembler"));
    if (clang) {
        add("-fno-integrated-as");
        setenv("BPOR_NATIVE_ASSEMBLES", compiler, 1);
    } else {
        unsetenv("BPOR_NATIVE_ASSEMBLES");
    }
}

static void add_instrumentation(bool clang)
{
    add("-fsanitize=thread");
    add_format("-isystem%s", directory("../include/c++")); /* strings of C++ are instrumented, too */
    if (clang) {
        add("-mllvm");
        add("-tsan-distinguish-volatile=1");
        add("-Wno-unused-command-line-argument");
    } else {
        add("--param=tsan-distinguish-volatile=1");
        add("-Wno-tsan");                            /* fences are understood here */
        add("-mmemcpy-strategy=libcall:-1:noalign"); /* of large structures, as memcpy and memset are seen */
        add("-mmemset-strategy=libcall:-1:noalign");
        add_format("-isystem%s", directory("../include/gcc")); /* _FORTIFY_SOURCE would expand them, too */
        for (const char *const *name = wrapped; *name; name++)
            add_format("-fno-builtin-%s", *name); /* expanded in place, it would not be seen */
    }
}

static void add_wrapping(void)
{
    for (const char *const *name = wrapped; *name; name++)
        add_format("-Wl,--wrap=%s", *name);
    for (const char *const *name = members; *name; name++)
        add_format("-Wl,--wrap=%s", *name);
}

/* gcc, told to compile and link at once, adds -ltsan by itself: ours is found first. clang is told not to add its own. */
static void add_before(const struct request *request, const char *compiler, bool clang)
{
    if (!request->debug_chosen && request->has_source)
        add("-g");
    if (request->has_source)
        add_instrumentation(clang);
    if (request->has_source || !clang) /* gcc's link-time optimisation assembles */
        add_assembler(compiler, clang);
    if (request->links && !request->relocatable) {
        add_wrapping();
        if (clang)
            add("-fno-sanitize-link-runtime");
        else
            add_format("-L%s", directory("instrument"));
    }
}

/* `bpor-native build` names a file here. Creating it says that something was compiled, because a build skips whatever is up to
 * date. */
static const char *note_of_build(void)
{
    return getenv("BPOR_NATIVE_COMPILED");
}

static void note_compiled(const char *path)
{
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file)
        fclose(file);
}

/* -g is added even to packages that want no debug information: whoever builds with this wrapper wants to read reports. */
static bool takes_names_away(const char *word)
{
    static const char *const options[] = {"-g0", "-s", "-Wl,-s", "-Wl,-S", "-Wl,--strip-all", "-Wl,--strip-debug", NULL};
    for (const char *const *option = options; *option; option++)
        if (strcmp(word, *option) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    size_t length = strlen(argv[0]);
    const char *compiler = length > 2 && strcmp(argv[0] + length - 2, "++") == 0 ? "g++" : "gcc";
    char **words = argv + 1;
    if (*words && (strcmp(*words, "c++") == 0 || strcmp(*words, "cc") == 0)) {
        compiler = strcmp(*words, "c++") == 0 ? "g++" : "gcc";
        words++;
    }
    for (const char *value; *words; words++)
        if ((value = own_option(*words, "--bpor-compiler=")))
            compiler = value;
        else if ((value = own_option(*words, "--bpor-fast-path=")))
            setenv("BPOR_NATIVE_FAST_PATH", value, 1); /* csrc/assembler/as.c */
        else
            break;
    line = calloc((size_t)argc + MOST_ADDED, sizeof *line);
    if (line == NULL)
        return 99;
    struct request request = read_request(words);
    bool clang = is_clang(compiler);
    add(compiler);
    if (request.other_sanitizer)
        fputs("bpor-native cc: another sanitizer is asked for, which excludes our instrumentation: built without it\n", stderr);
    bool ours = request.has_input && !request.other_sanitizer, building = note_of_build() != NULL;
    if (ours && request.has_source)
        note_compiled(note_of_build());
    if (ours)
        add_before(&request, compiler, clang);
    for (; *words; words++)
        if (!building || !takes_names_away(*words))
            add(*words);
    if (ours && building && request.has_source)
        add("-g");
    if (ours && request.links && !request.relocatable) {
        if (request.has_source)
            add("-xnone"); /* the archive is no source, whatever -x said before */
        add_format("%s/libtsan.a", directory("instrument"));
    }
    execvp(compiler, line);
    fprintf(stderr, "bpor-native cc: cannot run %s: %s\n", compiler, strerror(errno));
    return 127;
}
