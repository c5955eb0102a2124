// moodycamel's ConcurrentQueue: two producers, one consumer.
#include <cassert>
#include <concurrentqueue/concurrentqueue.h>
#include <thread>

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
    static const size_t BLOCK_SIZE = 2;
    static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 0;
};

int main()
{
    moodycamel::ConcurrentQueue<int, Small> queue(4, 2, 0);
    moodycamel::ProducerToken first(queue), second(queue);
    int got, sum = 0;
    std::thread one([&] { assert(queue.enqueue(first, 1)); });
    assert(queue.enqueue(second, 2));
    if (queue.try_dequeue(got))
        sum += got;
    one.join();
    while (queue.try_dequeue(got))
        sum += got;
    assert(sum == 3);
    return 0;
}
