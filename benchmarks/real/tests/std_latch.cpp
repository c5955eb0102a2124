// C++20: a latch, a barrier of two phases and a counting semaphore.
#include <barrier>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>

int main()
{
    std::latch started(2);
    std::barrier<> both(2);
    std::counting_semaphore<2> items(0);
    int value = 0;
    std::thread other([&] {
        started.arrive_and_wait();
        value = 1;
        both.arrive_and_wait();
        items.release();
    });
    started.arrive_and_wait();
    both.arrive_and_wait();
    assert(value == 1);
    items.acquire();
    other.join();
    return 0;
}
