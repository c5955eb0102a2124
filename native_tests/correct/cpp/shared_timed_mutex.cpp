// std::shared_timed_mutex: waiting in vain for a lock ends with false, for readers and writers, by duration and by time.
// bound none: pass
#include <cassert>
#include <chrono>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

int main()
{
    std::shared_timed_mutex mutex;
    mutex.lock();
    std::thread waiter([&] {
        assert(!mutex.try_lock_shared());
        assert(!mutex.try_lock_shared_for(5ms));
        assert(!mutex.try_lock_until(std::chrono::system_clock::now() + 5ms));
    });
    waiter.join();
    mutex.unlock();
    assert(mutex.try_lock_for(1s));
    mutex.unlock();
}
