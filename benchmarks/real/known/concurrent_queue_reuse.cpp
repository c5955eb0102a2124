// moodycamel's ConcurrentQueue with blocks of two: two consumers empty one, and it is used again.
#include <cassert>
#include <concurrentqueue.h>
#include <thread>

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
    static const size_t BLOCK_SIZE = 2;
};

int main()
{
    moodycamel::ConcurrentQueue<int, Small> queue(4);
    int got[3] = {};
    queue.enqueue(1), queue.enqueue(2);
    std::thread one([&] { queue.try_dequeue(got[0]); }), two([&] { queue.try_dequeue(got[1]); });
    queue.enqueue(3), queue.enqueue(4), queue.enqueue(5);
    one.join();
    two.join();
    int sum = got[0] + got[1];
    while (queue.try_dequeue(got[2]))
        sum += got[2];
    assert(sum == 15);
    return 0;
}
