/* The standard streams of C++. The standard lets threads use one at once ([iostream.objects.overview]), and libstdc++ does so
 * without order: each line of output sets the width in the stream's own members back to 0, each input the count of letters, the
 * first number the letter that fills. What two threads write there is no conflict; else every two lines of output would be run in
 * both orders. What else a stream keeps (its format, state and buffer) is written only by who means to change it. Other streams
 * are objects like any. */
#define _GNU_SOURCE
#include "race/race.h"
#include <dlfcn.h>
#include <string.h>

static const char *const names[] = {"_ZSt4cout",  "_ZSt4cerr",  "_ZSt4clog",  "_ZSt3cin",
                                    "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog", "_ZSt4wcin"};
enum { STREAMS = sizeof names / sizeof *names };

/* What libstdc++'s binary interface fixes: the members of std::ios_base begin with a table, the precision and the width, behind
 * all of them are the tied stream and the letter that fills (with whether it is known); those of std::istream, which come before
 * them, begin with a table and the count of letters. */
enum {
    MEMBER = sizeof(long),
    COUNT = MEMBER,
    WIDTH = 2 * MEMBER,
    IOS_OF_OUTPUT = MEMBER,
    IOS_OF_INPUT = 2 * MEMBER,
    FILL = 28 * MEMBER
};

static struct stream {
    uintptr_t object;
    bool reads;
} streams[STREAMS];

/* A program may have its own copy of such an object (a copy relocation), so the name is looked up as the dynamic linker does. */
void bpor_race_find_standard_streams(void)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        size_t length = strlen(names[i]);
        streams[i].object = (uintptr_t)dlsym(RTLD_DEFAULT, names[i]);
        streams[i].reads = strcmp(&names[i][length - 2], "in") == 0;
    }
}

static bool is_member(uintptr_t byte, uintptr_t member)
{
    return byte - member < MEMBER;
}

/* Is it one that every use of a standard stream writes? */
bool bpor_race_in_standard_stream(uintptr_t byte)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        const struct stream *stream = &streams[i];
        uintptr_t ios = stream->object + (stream->reads ? IOS_OF_INPUT : IOS_OF_OUTPUT);
        bool written = is_member(byte, ios + WIDTH) || is_member(byte, ios + FILL) ||
                       (stream->reads && is_member(byte, stream->object + COUNT));
        if (stream->object && written)
            return true;
    }
    return false;
}
