// boost.thread: a shared mutex with an upgrade, beside a reader, and a barrier.
#include <boost/thread/barrier.hpp>
#include <boost/thread/shared_mutex.hpp>
#include <boost/thread/thread.hpp>
#include <cassert>

int main()
{
    boost::shared_mutex lock;
    boost::barrier both(2);
    int value = 0;
    boost::thread reader([&] {
        both.wait();
        boost::shared_lock<boost::shared_mutex> held(lock);
        assert(value == 0 || value == 1);
    });
    both.wait();
    {
        boost::upgrade_lock<boost::shared_mutex> held(lock);
        boost::upgrade_to_unique_lock<boost::shared_mutex> alone(held);
        value = 1;
    }
    reader.join();
    return 0;
}
