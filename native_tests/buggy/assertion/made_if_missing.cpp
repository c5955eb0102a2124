// Is it there? Then make it. Two threads that ask one after the other both make it. Through the streams of C++.
// says: is false
// bound preemption:0: pass
// bound preemption:1: assertion
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

static std::string path;
static bool made[2];

static void make(int number)
{
    if (!std::ifstream(path)) {
        std::ofstream(path) << number;
        made[number] = true;
    }
}

int main()
{
    const char *directory = std::getenv("TMPDIR");
    path = std::string(directory ? directory : "/tmp") + "/made-" + std::to_string(getpid());
    std::ofstream("/dev/null") << 0; // libstdc++ makes itself at home once, by atomics that are not seen
    std::thread one(make, 0), two(make, 1);
    one.join();
    two.join();
    std::remove(path.c_str());
    assert(made[0] + made[1] == 1);
    return 0;
}
