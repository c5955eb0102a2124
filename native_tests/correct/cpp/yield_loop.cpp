// A thread polls under a std::mutex with std::this_thread::yield until another has set the flag.
// bound fair:2,preemption:1: pass
#include <mutex>
#include <thread>

int main()
{
    std::mutex mutex;
    bool ready = false;
    std::thread poller([&] {
        for (;;) {
            {
                std::lock_guard<std::mutex> guard(mutex);
                if (ready)
                    return;
            }
            std::this_thread::yield();
        }
    });
    {
        std::lock_guard<std::mutex> guard(mutex);
        ready = true;
    }
    poller.join();
}
