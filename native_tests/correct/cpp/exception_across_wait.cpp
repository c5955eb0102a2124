// A thread that waits in the midst of an exception, while it unwinds and while it handles, keeps its own: others throw meanwhile.
// bound none: pass, traces 6
#include <cassert>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex mutex;

static void wait_a_little()
{
    std::lock_guard<std::mutex> guard(mutex);
}

struct WaitsWhenDestroyed {
    ~WaitsWhenDestroyed()
    {
        assert(std::uncaught_exceptions() == 1);
        wait_a_little();
        assert(std::uncaught_exceptions() == 1);
    }
};

static void work(const std::string &name)
{
    try {
        WaitsWhenDestroyed waits;
        throw std::runtime_error(name);
    } catch (const std::runtime_error &) {
        assert(std::uncaught_exceptions() == 0);
        wait_a_little();
        try {
            throw;
        } catch (const std::exception &again) {
            assert(again.what() == name);
        }
    }
    assert(std::current_exception() == nullptr);
}

int main()
{
    assert(std::uncaught_exceptions() == 0);
    std::thread first(work, "first"), second(work, "second");
    first.join();
    second.join();
}
