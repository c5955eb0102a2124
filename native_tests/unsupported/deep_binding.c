// A library that is bound to libc before everything else would lock past us.
// says: RTLD_DEEPBIND
// expect: uncontrolled
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int main(void)
{
    return dlopen("libm.so.6", RTLD_NOW | RTLD_DEEPBIND) == NULL;
}
