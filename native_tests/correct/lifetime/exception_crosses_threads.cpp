// An exception that a worker throws is rethrown in main by a future, and freed by whoever lets go of it last. libstdc++ counts its
// references in code that is not instrumented: that is no race.
// compiler: bpor
// bound preemption:0..2: pass
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread worker([promise = std::move(promise)]() mutable {
        try {
            throw std::runtime_error("failed");
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    });
    int wrong = 1;
    try {
        future.get();
    } catch (const std::exception &error) {
        wrong = error.what()[0] != 'f';
    }
    worker.join();
    return wrong;
}
