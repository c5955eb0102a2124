// An atomic shared_ptr that is replaced while another thread copies it. libstdc++ 12 unlocks it with relaxed order after a load, which its
// own plain read of the pointer makes a race in the standard's terms: so it is looked at without races here.
// compiler: bpor
// flags: -std=gnu++20
// options: --races=off
// says: coverage atomics
// bound fair:2,preemption:1: pass
#include <atomic>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> current;

int main()
{
    current = std::make_shared<int>(1);
    std::thread other([] { current.store(std::make_shared<int>(2)); });
    int seen = *current.load();
    other.join();
    return seen == 1 || seen == 2 ? 0 : 1;
}
