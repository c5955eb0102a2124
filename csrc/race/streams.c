/* The standard streams of C++. The standard lets threads use one at once ([iostream.objects.overview]), and libstdc++ does so
 * without order: each line of output sets the width in the stream's own members back to 0. What two threads write there is no
 * conflict; else every two lines of output would be run in both orders. Other streams are objects like any. */
#define _GNU_SOURCE
#include "race/race.h"
#include <dlfcn.h>
#include <link.h>

static const char *const names[] = {"_ZSt4cout",  "_ZSt4cerr",  "_ZSt4clog",  "_ZSt3cin",
                                    "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog", "_ZSt4wcin"};
enum { STREAMS = sizeof names / sizeof *names };

static struct {
    uintptr_t start;
    uintptr_t end;
} streams[STREAMS];

/* A program may have its own copy of such an object (a copy relocation), so the name is looked up as the dynamic linker does. */
void bpor_race_find_standard_streams(void)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        void *object = dlsym(RTLD_DEFAULT, names[i]);
        const ElfW(Sym) *symbol = NULL;
        Dl_info info;
        if (object && dladdr1(object, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol) {
            streams[i].start = (uintptr_t)object;
            streams[i].end = (uintptr_t)object + symbol->st_size;
        }
    }
}

bool bpor_race_in_standard_stream(uintptr_t byte)
{
    for (unsigned i = 0; i < STREAMS; i++)
        if (streams[i].start <= byte && byte < streams[i].end)
            return true;
    return false;
}
