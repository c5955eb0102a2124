// A library in a namespace of its own has a libc of its own; the one that was opened before the fork point is still there.
// says: dlmopen
// expect: uncontrolled
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static void *library;

__attribute__((constructor)) static void open_it(void)
{
    library = dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW);
}

int main(void)
{
    return library == NULL;
}
