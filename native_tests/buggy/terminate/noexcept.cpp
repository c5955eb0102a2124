// A function declared noexcept throws after all, when the other thread was faster.
// expect: terminate
// bound none: terminate, traces 2
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex mutex;
static int turn;

static void require_first()
{
    if (turn != 0)
        throw std::logic_error("late");
}

static void first() noexcept
{
    std::lock_guard<std::mutex> guard(mutex);
    require_first();
    turn++;
}

static void second()
{
    std::lock_guard<std::mutex> guard(mutex);
    turn++;
}

int main()
{
    std::thread one(first), two(second);
    one.join();
    two.join();
}
