// std::atomic wait and notify, instrumented: one thread hands a plain value to another.
// compiler: bpor
// flags: -std=gnu++20
// bound fair:2,preemption:2: pass
#include <atomic>
#include <cstdlib>
#include <thread>

static std::atomic<int> ready{0};
static int data;

int main()
{
    std::thread reader([] {
        ready.wait(0);
        if (data != 7)
            std::abort();
    });
    data = 7;
    ready = 1;
    ready.notify_one();
    reader.join();
}
