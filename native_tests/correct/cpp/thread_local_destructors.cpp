// thread_local objects are made per thread and destroyed at its end, under control and before a join returns.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int destroyed;

struct Tracked {
    int value = 0;
    ~Tracked()
    {
        std::lock_guard<std::mutex> guard(mutex);
        destroyed += value;
    }
};

static thread_local Tracked tracked;

static void use(int value)
{
    assert(tracked.value == 0);
    tracked.value = value;
}

int main()
{
    std::thread first(use, 1), second(use, 2);
    first.join();
    second.join();
    std::lock_guard<std::mutex> guard(mutex);
    assert(destroyed == 3);
}
