// moodycamel's ConcurrentQueue: two producers and two consumers.
#include <atomic>
#include <cassert>
#include <concurrentqueue.h>
#include <thread>

int main()
{
    moodycamel::ConcurrentQueue<int> queue;
    std::atomic<int> sum(0);
    auto taker = [&] {
        int got;
        if (queue.try_dequeue(got))
            sum += got;
    };
    std::thread producer([&] { queue.enqueue(1), queue.enqueue(2); }), consumer(taker);
    taker();
    producer.join();
    consumer.join();
    int got;
    while (queue.try_dequeue(got))
        sum += got;
    assert(sum == 3);
    return 0;
}
