// oneTBB: a parallel loop over four items by two threads.
#include <cassert>
#include <oneapi/tbb.h>

int main()
{
    oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, 2);
    int done[4] = {};
    oneapi::tbb::parallel_for(0, 4, [&](int i) { done[i]++; });
    for (int one : done)
        assert(one == 1);
    return 0;
}
