// Two threads insert into one set: the tree is rebalanced in libstdc++, and counts what it has there.
// expect: assertion
// bound preemption:0: pass
// bound preemption:1: assertion
#include <cassert>
#include <set>
#include <thread>

static std::set<int> numbers;

int main()
{
    std::thread one([] { numbers.insert(1); }), other([] { numbers.insert(2); });
    one.join();
    other.join();
    assert(numbers.size() == 2);
}
