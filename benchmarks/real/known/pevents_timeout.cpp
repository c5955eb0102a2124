// pevents: a wait for an event that nobody sets ends with its time.
#include <cassert>
#include <cerrno>
#include <pevents.h>
#include <thread>

int main()
{
    using namespace neosmart;
    neosmart_event_t event = CreateEvent(false, false);
    std::thread waiter([&] { assert(WaitForEvent(event, 10) == ETIMEDOUT); });
    waiter.join();
    DestroyEvent(event);
    return 0;
}
