#pragma once
#include <map>
#include <mutex>
#include <string>

// Keeps at most `capacity` entries.
class Cache {
public:
    explicit Cache(std::size_t capacity) : capacity_(capacity) {}
    void put(const std::string &key, int value)
    {
        if (size() >= capacity_)
            return;
        std::lock_guard<std::mutex> guard(mutex_);
        entries_[key] = value;
    }
    std::size_t size() const
    {
        std::lock_guard<std::mutex> guard(mutex_);
        return entries_.size();
    }
private:
    std::size_t capacity_;
    mutable std::mutex mutex_;
    std::map<std::string, int> entries_;
};
