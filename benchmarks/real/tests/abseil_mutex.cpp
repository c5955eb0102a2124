// abseil: a mutex with a condition, a blocking counter and call_once.
#include <absl/base/call_once.h>
#include <absl/synchronization/blocking_counter.h>
#include <absl/synchronization/mutex.h>
#include <cassert>
#include <thread>

int main()
{
    absl::Mutex lock;
    absl::once_flag once;
    absl::BlockingCounter left(2);
    int sum = 0, times = 0;
    auto adder = [&] {
        absl::call_once(once, [&] { times++; });
        {
            absl::MutexLock held(&lock);
            sum++;
        }
        left.DecrementCount();
    };
    std::thread one(adder), two(adder);
    left.Wait();
    lock.LockWhen(absl::Condition(
        +[](int *it) { return *it == 2; }, &sum));
    assert(sum == 2 && times == 1);
    lock.Unlock();
    one.join();
    two.join();
    return 0;
}
