// std::recursive_mutex lets its owner in again and nobody else: two traces.
// bound none: pass, traces 2
#include <cassert>
#include <mutex>
#include <thread>

static std::recursive_mutex mutex;
static int counter;

static void add(int times)
{
    std::lock_guard<std::recursive_mutex> guard(mutex);
    if (times > 0) {
        counter++;
        add(times - 1);
    }
}

int main()
{
    std::thread first(add, 2), second(add, 2);
    first.join();
    second.join();
    assert(counter == 4);
}
