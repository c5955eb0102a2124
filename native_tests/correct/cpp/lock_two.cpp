// std::scoped_lock takes two mutexes in opposite orders without a deadlock: it tries and backs off.
// bound fair:2,preemption:1: pass
#include <cassert>
#include <mutex>
#include <thread>

int main()
{
    std::mutex a, b;
    int counter = 0;
    std::thread first([&] {
        std::scoped_lock lock(a, b);
        counter++;
    });
    std::thread second([&] {
        std::scoped_lock lock(b, a);
        counter++;
    });
    first.join();
    second.join();
    assert(counter == 2);
}
