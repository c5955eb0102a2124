// std::jthread joins by itself and asks its thread to stop; the wait that knows the stop token ends.
// flags: -std=gnu++20
// options: --machine-code=auto
// bound preemption:1: pass
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

int main()
{
    bool stopped = false;
    {
        std::jthread worker([&](std::stop_token token) {
            std::mutex mutex;
            std::condition_variable_any changed;
            std::unique_lock<std::mutex> lock(mutex);
            assert(!changed.wait(lock, token, [] { return false; }));
            stopped = true;
        });
    }
    assert(stopped);
}
