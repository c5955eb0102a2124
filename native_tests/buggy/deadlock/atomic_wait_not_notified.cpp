// A value is stored and nobody is notified. Main creates the waiter and is left; the waiter sees the old value and blocks; main stores, and
// waits for the waiter. One preemption; without it the value is new before the waiter looks.
// compiler: bpor
// flags: -std=gnu++20
// bound preemption:0: pass
// bound preemption:1..2: deadlock
#include <atomic>
#include <thread>

static std::atomic<int> ready{0};

int main()
{
    std::thread waiter([] { ready.wait(0); });
    ready = 1;
    waiter.join();
}
