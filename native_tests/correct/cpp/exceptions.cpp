// Exceptions are thrown, unwound through a lock_guard and caught in each thread, and one is carried to main.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include <cassert>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex mutex;
static int caught;

static void fail_inside()
{
    std::lock_guard<std::mutex> guard(mutex);
    caught++;
    throw std::runtime_error("inside");
}

static void work(std::exception_ptr &carried)
{
    try {
        fail_inside();
    } catch (const std::runtime_error &) {
        carried = std::current_exception();
    }
}

int main()
{
    std::exception_ptr carried[2];
    std::thread first(work, std::ref(carried[0])), second(work, std::ref(carried[1]));
    first.join();
    second.join();
    assert(caught == 2);
    for (auto &exception : carried) {
        try {
            std::rethrow_exception(exception);
        } catch (const std::runtime_error &error) {
            assert(std::string(error.what()) == "inside");
        }
    }
}
