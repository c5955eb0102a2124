// Two threads append to one string. The work is done in libstdc++, not in the program: both find room for their letter in the same place.
// expect: assertion
// bound preemption:0: pass
// bound preemption:1: assertion
#include <cassert>
#include <string>
#include <thread>

static std::string word;

int main()
{
    std::thread one([] { word.append("a"); }), other([] { word.append("b"); });
    one.join();
    other.join();
    assert(word.size() == 2);
}
