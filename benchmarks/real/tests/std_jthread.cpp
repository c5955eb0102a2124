// C++20: a jthread that waits until it is asked to stop.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

int main()
{
    std::mutex lock;
    std::condition_variable_any changed;
    bool ready = false, stopped = false;
    {
        std::jthread waiter([&](std::stop_token token) {
            std::unique_lock held(lock);
            stopped = !changed.wait(held, token, [&] { return ready; });
        });
    }
    assert(stopped);
    return 0;
}
