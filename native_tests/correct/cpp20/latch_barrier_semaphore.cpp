// std::latch, std::barrier and std::counting_semaphore block in futexes: under control although their fast paths cannot be seen.
// flags: -std=gnu++20
// options: --machine-code=off
// needs: syscall
// bound preemption:1: pass
#include <atomic>
#include <barrier>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>

int main()
{
    std::latch started(2);
    std::barrier meeting(2);
    std::counting_semaphore<4> permits(0);
    std::atomic<int> value = 0;
    auto work = [&] {
        started.count_down();
        meeting.arrive_and_wait();
        value++;
        permits.release();
    };
    std::thread first(work), second(work);
    started.wait();
    permits.acquire();
    permits.acquire();
    assert(value == 2);
    first.join();
    second.join();
}
