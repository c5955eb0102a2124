// std::shared_mutex: readers share, the writer excludes; each reader is before or after the writer.
// needs: pthread_rwlock_rdlock pthread_rwlock_wrlock
// bound none: pass, traces 4
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static int a, b;

static void read()
{
    std::shared_lock lock(mutex);
    assert(a == b);
}

static void write()
{
    std::unique_lock lock(mutex);
    a++;
    b++;
}

int main()
{
    std::thread first(read), writer(write), second(read);
    first.join();
    writer.join();
    second.join();
}
