// oneTBB: a concurrent queue with two producers.
#include <cassert>
#include <oneapi/tbb/concurrent_queue.h>
#include <thread>

int main()
{
    oneapi::tbb::concurrent_queue<int> queue;
    std::thread one([&] { queue.push(1); }), two([&] { queue.push(2); });
    int got, sum = 0;
    if (queue.try_pop(got))
        sum += got;
    one.join();
    two.join();
    while (queue.try_pop(got))
        sum += got;
    assert(sum == 3);
    return 0;
}
