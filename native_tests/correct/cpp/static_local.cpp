// A static local object is made once, by whoever comes first; the others wait until it is ready, although its constructor waits
// for a lock.
// needs: __cxa_guard_acquire
// bound none: pass
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int made;

struct Service {
    int value;
    Service()
    {
        std::lock_guard<std::mutex> guard(mutex);
        made++;
        value = 42;
    }
};

static Service &service()
{
    static Service instance;
    return instance;
}

static void use()
{
    assert(service().value == 42);
}

int main()
{
    std::thread first(use), second(use);
    first.join();
    second.join();
    assert(made == 1);
}
