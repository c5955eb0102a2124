// Threads that only use objects they made themselves are independent, whatever addresses the allocator gives: one trace.
// bound none: pass, traces 1
// bound preemption:2: pass, traces 1
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct Account {
    std::mutex mutex;
    std::map<std::string, int> entries;
};

static void work()
{
    for (int i = 0; i < 2; i++) {
        auto account = std::make_unique<Account>();
        {
            std::lock_guard<std::mutex> guard(account->mutex);
            account->entries["a name that is long enough to be on the heap"] = i;
        }
        assert(account->entries.size() == 1);
    }
}

int main()
{
    std::thread first(work), second(work);
    first.join();
    second.join();
}
