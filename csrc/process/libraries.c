#include "process/libraries.h"
#include <string.h>

enum kind { RUNTIME = 1, LOADER, OURS };

static const struct library {
    const char *begins;
    enum kind kind;
} libraries[] = {
    {"libc.so.", RUNTIME},   {"libm.so.", RUNTIME},      {"libgcc_s.so.", RUNTIME},  {"libstdc++.so.", RUNTIME},
    {"libc++.so.", RUNTIME}, {"libc++abi.so.", RUNTIME}, {"libpthread.so.", LOADER}, {"ld-linux", LOADER},
    {"linux-vdso", LOADER},  {"libbpor", OURS},          {"libtsan.so", OURS},
};

static const struct library *find(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(name, libraries[i].begins, strlen(libraries[i].begins)) == 0)
            return &libraries[i];
    return NULL;
}

bool bpor_library_is_runtime(const char *path)
{
    const struct library *library = find(path);
    return library && library->kind == RUNTIME;
}

bool bpor_library_is_system(const char *path)
{
    return find(path) != NULL;
}
