// std::atomic::wait blocks until notified with a new value.
// flags: -std=gnu++20
// needs: syscall
// options: --machine-code=auto
// bound preemption:1: pass
#include <atomic>
#include <cstdlib>
#include <thread>

int main()
{
    std::atomic<int> value = 0;
    std::thread waiter([&] {
        value.wait(0);
        if (value != 1)
            std::abort();
    });
    value = 1;
    value.notify_one();
    waiter.join();
}
