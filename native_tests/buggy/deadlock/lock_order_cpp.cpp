// ABBA with std::mutex and two lock_guards instead of one scoped_lock.
// expect: deadlock
// bound preemption:0: pass, traces 2
// bound none: deadlock, traces 3
#include <mutex>
#include <thread>

static std::mutex a, b;

static void lock_both(std::mutex &first, std::mutex &second)
{
    std::lock_guard<std::mutex> outer(first);
    std::lock_guard<std::mutex> inner(second);
}

int main()
{
    std::thread one(lock_both, std::ref(a), std::ref(b)), two(lock_both, std::ref(b), std::ref(a));
    one.join();
    two.join();
}
