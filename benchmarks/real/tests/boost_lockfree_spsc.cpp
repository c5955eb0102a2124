// boost.lockfree: a queue of one producer and one consumer.
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

int main()
{
    boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
    int got, last = 0;
    std::thread one([&] {
        assert(queue.push(1));
        assert(queue.push(2));
    });
    for (int i = 0; i < 2; i++)
        if (queue.pop(got))
            assert(got == ++last);
    one.join();
    while (queue.pop(got))
        assert(got == ++last);
    assert(last == 2);
    return 0;
}
