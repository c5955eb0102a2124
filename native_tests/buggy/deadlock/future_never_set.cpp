// A promise that is kept on one path only: the reader of its future waits for ever.
// needs: syscall pthread_once
// expect: deadlock
// bound preemption:0: deadlock
#include <future>
#include <mutex>
#include <thread>

int main()
{
    std::mutex mutex;
    bool first = true;
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread other([&] {
        std::lock_guard<std::mutex> guard(mutex);
        first = false;
    });
    std::thread keeper([&] {
        std::lock_guard<std::mutex> guard(mutex);
        if (first)
            promise.set_value(1);
    });
    future.wait();
    other.join();
    keeper.join();
}
