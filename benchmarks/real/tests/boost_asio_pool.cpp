// boost.asio: two jobs for a thread pool of two.
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cassert>

int main()
{
    std::atomic<int> sum{0};
    boost::asio::thread_pool pool(2);
    boost::asio::post(pool, [&] { sum += 1; });
    boost::asio::post(pool, [&] { sum += 2; });
    pool.join();
    assert(sum == 3);
    return 0;
}
