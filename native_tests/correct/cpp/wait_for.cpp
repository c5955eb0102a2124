// wait_for with a predicate nobody fulfils ends with false after its time, which is virtual: an hour passes at once.
// args: 3600
// bound none: pass, traces 1
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

int main(int argc, char **argv)
{
    std::mutex mutex;
    std::condition_variable never;
    std::chrono::seconds patience(argc > 1 ? std::atoi(argv[1]) : 0);
    std::thread waiter([&] {
        auto before = std::chrono::steady_clock::now();
        std::unique_lock<std::mutex> lock(mutex);
        assert(!never.wait_for(lock, patience, [] { return false; }));
        assert(lock.owns_lock());
        assert(std::chrono::steady_clock::now() - before >= patience);
        lock.unlock();
        std::this_thread::sleep_for(patience);
        assert(std::chrono::steady_clock::now() - before >= 2 * patience);
    });
    waiter.join();
}
