// boost.lockfree: a stack on which two threads push, one of which pops.
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

int main()
{
    boost::lockfree::stack<int, boost::lockfree::capacity<4>> stack;
    int got, sum = 0;
    std::thread one([&] { assert(stack.push(1)); });
    assert(stack.push(2));
    if (stack.pop(got))
        sum += got;
    one.join();
    while (stack.pop(got))
        sum += got;
    assert(sum == 3);
    return 0;
}
