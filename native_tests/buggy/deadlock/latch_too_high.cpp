// A latch that counts one thread more than there are: whoever waits for it does so for ever, in every schedule.
// compiler: bpor
// flags: -std=gnu++20
// bound preemption:0: deadlock
#include <latch>
#include <thread>

static std::latch started{2};

int main()
{
    std::thread worker([] { started.count_down(); });
    started.wait();
    worker.join();
}
