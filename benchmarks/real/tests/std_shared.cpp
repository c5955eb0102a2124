// C++: a shared mutex, call_once, an atomic that is waited for, shared pointers.
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

int main()
{
    std::shared_mutex lock;
    std::once_flag once;
    std::atomic<int> flag{0};
    auto shared = std::make_shared<int>(0);
    std::thread other([&, shared]() mutable {
        std::call_once(once, [&] { flag.fetch_add(1); });
        {
            std::unique_lock held(lock);
            *shared = 1;
        }
        shared.reset();
        flag.fetch_add(1);
        flag.notify_one();
    });
    std::call_once(once, [&] { flag.fetch_add(1); });
    {
        std::shared_lock held(lock);
        assert(*shared == 0 || *shared == 1);
    }
    shared.reset();
    flag.wait(1);
    assert(flag == 2);
    other.join();
    return 0;
}
