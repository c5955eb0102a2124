/* Libraries that come and go: what they keep is new when they are loaded anew. */
#include "player.h"
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <unistd.h>

static std::string beside_us()
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    MUST(length > 0);
    path[length] = 0;
    *(strrchr(path, '/') + 1) = 0;
    return std::string(path) + "libguest.so";
}

static void *library;

static uint64_t call(const char *name)
{
    auto function = reinterpret_cast<uint64_t (*)()>(dlsym(library, name));
    MUST(function);
    return function();
}

static uint64_t loaded(unsigned parameter)
{
    if (!library)
        library = dlopen(beside_us().c_str(), parameter % 2 ? RTLD_NOW : RTLD_LAZY);
    MUST(library);
    return call("guest_count");
}

static uint64_t unloaded(unsigned)
{
    if (!library)
        return 0;
    uint64_t value = call("guest_count");
    dlclose(library);
    library = nullptr;
    return value;
}

static uint64_t loaded_and_unloaded(unsigned)
{
    void *own = dlopen(beside_us().c_str(), RTLD_NOW | RTLD_LOCAL);
    MUST(own);
    auto function = reinterpret_cast<uint64_t (*)()>(dlsym(own, "guest_own"));
    uint64_t value = function();
    dlclose(own);
    return value;
}

static uint64_t not_found(unsigned)
{
    void *none = dlopen("libnowhere.so.9", RTLD_NOW);
    return (none != nullptr) * 2 + (dlerror() != nullptr) + (dlsym(RTLD_DEFAULT, "no_such_function_anywhere") != nullptr);
}

static int one_more(struct dl_phdr_info *, size_t, void *count)
{
    ++*static_cast<int *>(count);
    return 0;
}

static uint64_t counted(unsigned)
{
    int before = 0, after = 0;
    dl_iterate_phdr(one_more, &before);
    void *own = dlopen(beside_us().c_str(), RTLD_NOW);
    dl_iterate_phdr(one_more, &after);
    dlclose(own);
    return after - before + (library != nullptr) * 16;
}

const Activity of_libraries[] = {
    {"loaded", loaded, LIBRARIES},
    {"unloaded", unloaded, LIBRARIES},
    {"loaded_and_unloaded", loaded_and_unloaded, LIBRARIES},
    {"not_found", not_found, LIBRARIES},
    {"modules", counted, LIBRARIES},
    {nullptr, nullptr, NOTHING},
};
