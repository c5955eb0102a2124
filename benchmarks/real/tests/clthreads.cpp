// clthreads: a message from one thread to another.
#include <cassert>
#include <clthreads.h>
#include <thread>

int main()
{
    {
        ITC_ctrl control;
        std::thread sender([&] { control.put_event(0, new ITC_mesg(7)); });
        ITC_mesg *mine = new ITC_mesg(8);
        assert(control.get_event() == 0);
        ITC_mesg *got = control.get_message();
        assert(got != nullptr && got->type() == 7);
        got->recover();
        mine->recover();
        sender.join();
    }
    assert(ITC_mesg::object_counter() == 0);
    return 0;
}
