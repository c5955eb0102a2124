// A constructor that throws leaves the variable uninitialised: the next thread tries again.
// bound none: pass
// bound preemption:2: pass
#include <cassert>
#include <stdexcept>
#include <thread>

static int attempts;

struct Resource {
    Resource()
    {
        if (++attempts == 1)
            throw std::runtime_error("not yet");
    }
};

static int failures;

static void use()
{
    try {
        static Resource resource;
        assert(attempts == 2);
    } catch (const std::runtime_error &) {
        failures++;
    }
}

int main()
{
    std::thread first(use), second(use);
    first.join();
    second.join();
    assert(attempts == 2 && failures == 1);
}
