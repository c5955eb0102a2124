// libcds: Michael and Scott's queue with hazard pointers.
#include <cassert>
#include <cds/container/msqueue.h>
#include <cds/gc/hp.h>
#include <cds/init.h>
#include <thread>

int main()
{
    cds::Initialize();
    {
        cds::gc::HP collector(2, 3, 16);
        cds::threading::Manager::attachThread();
        auto *owned = new cds::container::MSQueue<cds::gc::HP, int>;
        auto &queue = *owned;
        int got, last = 0;
        std::thread one([&] {
            cds::threading::Manager::attachThread();
            assert(queue.enqueue(1));
            assert(queue.enqueue(2));
            cds::threading::Manager::detachThread();
        });
        if (queue.dequeue(got))
            assert(got == ++last);
        one.join();
        while (queue.dequeue(got))
            assert(got == ++last);
        assert(last == 2);
        delete owned;
        cds::threading::Manager::detachThread();
    }
    cds::Terminate();
    return 0;
}
