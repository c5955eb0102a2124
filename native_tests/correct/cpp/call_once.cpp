// std::call_once: an initialisation that throws is tried again by the next thread, one that returns is not.
// needs: pthread_once
// bound none: pass
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag flag;
static int tries, successes;

static void initialise()
{
    if (++tries == 1)
        throw std::runtime_error("not yet");
    successes++;
}

static void use()
{
    try {
        std::call_once(flag, initialise);
    } catch (const std::runtime_error &) {
        std::call_once(flag, initialise);
    }
    assert(successes == 1);
}

int main()
{
    std::thread first(use), second(use);
    first.join();
    second.join();
    assert(tries == 2);
}
