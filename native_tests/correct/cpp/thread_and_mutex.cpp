// std::thread, std::mutex and lock_guard with arguments by reference: the traces of the C counter.
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 4
// bound none: pass, traces 6
#include <cassert>
#include <functional>
#include <mutex>
#include <thread>

static std::mutex mutex;

static void add_twice(int &counter)
{
    for (int i = 0; i < 2; i++) {
        std::lock_guard<std::mutex> guard(mutex);
        counter++;
    }
}

int main()
{
    int counter = 0;
    std::thread first(add_twice, std::ref(counter)), second(add_twice, std::ref(counter));
    first.join();
    second.join();
    assert(counter == 4);
}
