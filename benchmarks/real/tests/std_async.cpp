// C++: two async calls, and a promise that is kept by one of them.
#include <cassert>
#include <future>

int main()
{
    std::promise<int> promise;
    auto one = std::async(std::launch::async, [&] { promise.set_value(1); });
    auto two = std::async(std::launch::async, [&] { return promise.get_future().get() + 1; });
    assert(two.get() == 2);
    one.get();
    return 0;
}
