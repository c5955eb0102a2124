// std::promise, std::packaged_task and std::async hand values and exceptions to their futures, however late the reader comes.
// needs: syscall pthread_once
// bound preemption:1: pass
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    std::promise<int> promise;
    std::future<int> promised = promise.get_future();
    std::thread keeper([&] { promise.set_value(1); });
    assert(promised.get() == 1);
    keeper.join();

    std::packaged_task<int(int)> task([](int value) { return 2 * value; });
    std::future<int> result = task.get_future();
    std::thread worker(std::move(task), 21);
    worker.join();
    assert(result.get() == 42);

    std::future<void> failing = std::async(std::launch::async, [] { throw std::runtime_error("no"); });
    try {
        failing.get();
        return 1;
    } catch (const std::runtime_error &) {
    }
}
