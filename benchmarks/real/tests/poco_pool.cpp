// POCO: two jobs for a thread pool.
#include <Poco/Runnable.h>
#include <Poco/ThreadPool.h>
#include <atomic>
#include <cassert>

struct Job : Poco::Runnable {
    std::atomic<int> times{0};
    void run() override
    {
        times++;
    }
};

int main()
{
    Poco::ThreadPool pool(2, 2);
    Job one, two;
    pool.start(one);
    pool.start(two);
    pool.joinAll();
    assert(one.times == 1 && two.times == 1);
    return 0;
}
