// An exception nobody catches leaves a thread, if it comes second: std::terminate.
// expect: terminate
// bound preemption:0: terminate
// bound none: terminate, traces 3
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex mutex;
static bool taken;

static void take()
{
    std::lock_guard<std::mutex> guard(mutex);
    if (taken)
        throw std::runtime_error("already taken");
    taken = true;
}

static void take_or_leave()
{
    try {
        take();
    } catch (const std::runtime_error &) {
    }
}

int main()
{
    std::thread first(take_or_leave), second(take);
    first.join();
    second.join();
}
