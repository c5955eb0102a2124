// A std::thread is destroyed without a join because an exception took the short way out.
// bound preemption:0: terminate
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex mutex;

int main()
{
    try {
        std::thread worker([] { std::lock_guard<std::mutex> guard(mutex); });
        throw std::runtime_error("short way out");
    } catch (const std::runtime_error &) {
    }
}
