// A garbage collector takes the static memory of every module that can be written for roots. What it finds is the program's and its
// libraries', not the tool's, which is 15 MB.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <link.h>

static int add(struct dl_phdr_info *module, size_t size, void *sum)
{
    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_LOAD && module->dlpi_phdr[i].p_flags & PF_W)
            *(size_t *)sum += module->dlpi_phdr[i].p_memsz;
    return 0;
}

int main(void)
{
    size_t bytes = 0;
    dl_iterate_phdr(add, &bytes);
    assert(0 < bytes && bytes < 1 << 20);
    return 0;
}
