// xenium: Michael and Scott's queue with hazard pointers.
#include <cassert>
#include <thread>
#include <xenium/michael_scott_queue.hpp>
#include <xenium/reclamation/hazard_pointer.hpp>

int main()
{
    using pointers = xenium::reclamation::hazard_pointer<>;
    xenium::michael_scott_queue<int, xenium::policy::reclaimer<pointers>> queue;
    int got, last = 0;
    std::thread one([&] {
        queue.push(1);
        queue.push(2);
    });
    if (queue.try_pop(got))
        assert(got == ++last);
    one.join();
    while (queue.try_pop(got))
        assert(got == ++last);
    assert(last == 2);
    return 0;
}
