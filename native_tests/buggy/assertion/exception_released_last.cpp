// Two threads let go of one exception: whoever is last destroys it.
// with LAST=1, expect: assertion
// with LAST=2, expect: assertion
// with LAST=1, bound preemption:1: assertion
// with LAST=2, bound preemption:1: assertion
#include <cassert>
#include <exception>
#include <pthread.h>

static thread_local int self;
static int last;

struct failure {
    ~failure()
    {
        last = self;
    }
};

static std::exception_ptr kept[2];

static void *release(void *which)
{
    self = which == &kept[0] ? 1 : 2;
    *static_cast<std::exception_ptr *>(which) = nullptr;
    return which;
}

int main()
{
    try {
        throw failure{};
    } catch (...) {
        kept[0] = kept[1] = std::current_exception();
    }
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], nullptr, release, &kept[i]);
    for (pthread_t each : thread)
        pthread_join(each, nullptr);
    assert(last != LAST);
}
