// std::condition_variable_any without a condition that was checked: the notification may come before the wait.
// expect: deadlock
// bound none: deadlock
#include <condition_variable>
#include <mutex>
#include <thread>

static std::recursive_mutex mutex;
static std::condition_variable_any changed;

int main()
{
    std::thread waiter([] {
        std::unique_lock<std::recursive_mutex> lock(mutex);
        changed.wait(lock);
    });
    changed.notify_one();
    waiter.join();
}
