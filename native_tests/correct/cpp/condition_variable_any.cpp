// std::condition_variable_any with a lock of our own: it brings an inner mutex, and the waiter is woken all the same.
// bound none: pass
// bound preemption:2: pass
#include <condition_variable>
#include <mutex>
#include <thread>

struct CountingLock {
    std::mutex mutex;
    int locks = 0;
    void lock()
    {
        mutex.lock();
        locks++;
    }
    void unlock()
    {
        mutex.unlock();
    }
};

int main()
{
    CountingLock lock;
    std::condition_variable_any changed;
    bool ready = false;
    std::thread waiter([&] {
        std::unique_lock<CountingLock> guard(lock);
        changed.wait(guard, [&] { return ready; });
    });
    {
        std::lock_guard<CountingLock> guard(lock);
        ready = true;
    }
    changed.notify_all();
    waiter.join();
    return lock.locks >= 2 ? 0 : 1;
}
