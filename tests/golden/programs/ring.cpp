// Members of templates in a namespace, on the heap and on a stack, behind smart pointers and references.
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

namespace ring
{
template <class T> struct Slot {
    std::atomic<int> seq{0};
    T value{};
};
template <class T, int N> class Ring
{
  public:
    void put(int i, T value)
    {
        slots_[i].value = value;
        slots_[i].seq.store(1);
        std::lock_guard<std::mutex> hold(mutex_);
        count_.fetch_add(1);
    }
    int count()
    {
        std::lock_guard<std::mutex> hold(mutex_);
        return count_;
    }

  private:
    std::mutex mutex_;
    std::atomic<int> count_{0};
    std::array<Slot<T>, N> slots_;
};
} // namespace ring

int main()
{
    auto one = std::make_shared<ring::Ring<int, 4>>();
    auto two = std::make_unique<ring::Ring<int, 4>>();
    ring::Ring<int, 4> local;
    std::atomic<bool> done{false};
    std::thread first([&] {
        one->put(3, 5);
        two->put(2, 1);
        local.put(0, 1);
        done = true;
    });
    bool seen = done.load();
    first.join();
    if (seen)
        std::abort();
}
