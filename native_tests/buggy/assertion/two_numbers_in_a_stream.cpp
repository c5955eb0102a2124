// Two threads write a number into one stream of their own. The digits are put into its buffer by libstdc++, out of a table of functions.
// expect: assertion
// bound preemption:0: pass
// bound preemption:1: assertion
#include <cassert>
#include <sstream>
#include <thread>

int main()
{
    std::ostringstream stream;
    std::thread one([&] { stream << 11; }), other([&] { stream << 22; });
    one.join();
    other.join();
    assert(stream.str().size() == 4);
}
