// Threads share the format and the state of std::cout as they share any object; what every line of output writes is left out.
// with ANSWER=0, expect: assertion
// with ANSWER=1, expect: assertion
// with ANSWER=0, bound preemption:2: assertion
// with ANSWER=1, bound preemption:2: assertion
#include <cassert>
#include <iostream>
#include <thread>

int main()
{
    std::thread fails([] { std::cout.setstate(std::ios::failbit); });
    bool failed = std::cout.fail();
    fails.join();
    assert(failed == ANSWER);
}
