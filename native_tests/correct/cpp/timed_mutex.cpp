// std::timed_mutex: a try with a time limit fails while main holds it, in virtual time, and succeeds when it is free.
// args: 3600
// bound none: pass, traces 1
#include <cassert>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

int main(int argc, char **argv)
{
    std::timed_mutex mutex;
    std::chrono::seconds patience(argc > 1 ? std::atoi(argv[1]) : 0);
    mutex.lock();
    std::thread([&] {
        auto before = std::chrono::steady_clock::now();
        assert(!mutex.try_lock_for(patience));
        assert(std::chrono::steady_clock::now() - before >= patience);
        assert(!mutex.try_lock());
    }).join();
    mutex.unlock();
    std::thread([&] {
        assert(mutex.try_lock_until(std::chrono::system_clock::now() + patience));
        mutex.unlock();
    }).join();
}
