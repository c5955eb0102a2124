// A std::jthread is asked to stop and joined by its destructor; its wait with a stop_token ends.
// flags: -std=gnu++20
// needs: syscall
// options: --machine-code=auto
// bound preemption:1: pass
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main()
{
    std::mutex mutex;
    std::condition_variable_any never;
    std::jthread worker([&](std::stop_token stop) {
        std::unique_lock<std::mutex> lock(mutex);
        never.wait(lock, stop, [] { return false; });
    });
}
