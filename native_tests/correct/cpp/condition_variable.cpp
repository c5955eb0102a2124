// A std::condition_variable with a predicate hands one value over: the consumer waits, or comes late.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 2
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

int main()
{
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<int> value;
    int got = 0;
    std::thread consumer([&] {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return value.has_value(); });
        got = *value;
    });
    {
        std::lock_guard<std::mutex> lock(mutex);
        value = 42;
        changed.notify_one();
    }
    consumer.join();
    assert(got == 42);
}
