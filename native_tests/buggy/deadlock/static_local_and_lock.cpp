// A static local object takes a lock while it is made; a thread that holds the lock waits until it is made.
// needs: __cxa_guard_acquire
// expect: deadlock
// bound preemption:0: pass
#include <mutex>
#include <thread>

static std::mutex mutex;
static thread_local bool holds;

struct Registry {
    Registry()
    {
        if (!holds)
            std::lock_guard<std::mutex> guard(mutex);
    }
};

static void use()
{
    static Registry registry;
}

static void use_with_lock()
{
    std::lock_guard<std::mutex> guard(mutex);
    holds = true;
    use();
}

int main()
{
    std::thread first(use_with_lock), second(use);
    first.join();
    second.join();
}
