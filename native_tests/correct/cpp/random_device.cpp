// std::random_device repeats: what it gives decides which of two mutexes is taken, and every replayed prefix agrees.
// bound none: pass
#include <mutex>
#include <random>
#include <thread>

int main()
{
    std::mutex mutex[2];
    auto work = [&] {
        std::random_device device;
        for (int i = 0; i < 3; i++)
            std::lock_guard<std::mutex> guard(mutex[device() & 1]);
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
}
