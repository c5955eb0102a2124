// progschj/ThreadPool: a task, its result, and the end of the pool.
#include <ThreadPool.h>
#include <cassert>

int main()
{
    ThreadPool pool(2);
    assert(pool.enqueue([] { return 3; }).get() == 3);
    return 0;
}
