// std::atomic_ref on a plain int: accesses through it are operations and no race.
// compiler: bpor
// flags: -std=gnu++20
// bound none: pass, traces 6
#include <atomic>
#include <thread>

static int counter;

int main()
{
    auto twice = [] {
        for (int i = 0; i < 2; i++)
            std::atomic_ref<int>(counter)++;
    };
    std::thread one(twice), other(twice);
    one.join();
    other.join();
    return counter == 4 ? 0 : 1;
}
