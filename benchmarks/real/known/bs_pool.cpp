// BS::thread_pool: a task that is waited for, and the end of the pool.
#include <BS_thread_pool.hpp>
#include <cassert>

int main()
{
    int done = 0;
    BS::thread_pool pool(1);
    pool.push_task([&] { done = 1; });
    pool.wait_for_tasks();
    assert(done == 1);
    return 0;
}
