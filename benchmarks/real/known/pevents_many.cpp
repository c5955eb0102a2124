// pevents: one of two events is set while somebody waits for either.
#include <cassert>
#include <pevents.h>
#include <thread>

int main()
{
    using namespace neosmart;
    neosmart_event_t events[] = {CreateEvent(false, false), CreateEvent(false, false)};
    int index = -1;
    std::thread setter([&] { SetEvent(events[1]); });
    assert(WaitForMultipleEvents(events, 2, false, static_cast<uint64_t>(-1), index) == 0 && index == 1);
    setter.join();
    return 0;
}
