// boost.lockfree: a queue with one thread that pushes and one that pops.
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <thread>

int main()
{
    boost::lockfree::queue<int, boost::lockfree::capacity<4>> queue;
    int got, last = 0;
    std::thread one([&] {
        assert(queue.push(1));
        assert(queue.push(2));
    });
    if (queue.pop(got))
        assert(got == ++last);
    one.join();
    while (queue.pop(got))
        assert(got == ++last);
    assert(last == 2);
    return 0;
}
