#include <map>
#include <mutex>

namespace store {
class Cache {
  public:
    void put(int key)
    {
        if (size() >= 2) // another thread may fill it between this and the next line
            return;
        std::lock_guard<std::mutex> hold(mutex_);
        entries_[key] = key;
    }
    int size()
    {
        std::lock_guard<std::mutex> hold(mutex_);
        return entries_.size();
    }

  private:
    std::mutex mutex_;
    std::map<int, int> entries_;
};
} // namespace store
