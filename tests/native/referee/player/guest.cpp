/* The library that libraries.cpp loads: state of its own, of each thread, constructors and destructors. */
#include <cstdint>
#include <cstdio>
#include <string>

struct Guest {
    uint64_t count = 40;
    std::string name = "guest";
    ~Guest()
    {
        count = 0;
    }
};
static Guest guest;
static thread_local uint64_t own = 3;

extern "C" uint64_t guest_count()
{
    return ++guest.count + guest.name.size();
}

extern "C" uint64_t guest_own()
{
    return ++own + guest.count;
}
