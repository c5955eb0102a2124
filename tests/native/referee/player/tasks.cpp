/* Threads as the C++ library makes them: std::thread, its locks and conditions, futures, what crosses from one to another. */
#include "player.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static uint64_t added_by_threads(unsigned parameter)
{
    std::mutex mutex;
    std::vector<uint64_t> parts;
    auto work = [&](uint64_t part) {
        std::lock_guard<std::mutex> guard(mutex);
        parts.push_back(part);
    };
    std::thread one(work, 1), other(work, 2 + parameter % 5);
    one.join(), other.join();
    return std::accumulate(parts.begin(), parts.end(), uint64_t{7}, mixed);
}

/* A queue of one item, which the consumer waits for and the producer refills. */
static uint64_t queued(unsigned parameter)
{
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::string> queue;
    unsigned items = 1 + parameter % 2;
    std::thread producer([&] {
        for (unsigned i = 0; i < items; i++) {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return queue.empty(); });
            queue.emplace_back(i + 20, 'a');
            changed.notify_one();
        }
    });
    uint64_t value = 0;
    for (unsigned i = 0; i < items; i++) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return !queue.empty(); });
        value = mixed(value, queue.front().size());
        queue.pop_front();
        changed.notify_one();
    }
    producer.join();
    return value;
}

static uint64_t waited_in_vain(unsigned parameter)
{
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock<std::mutex> lock(mutex);
    auto how = never.wait_for(lock, std::chrono::milliseconds(1 + parameter % 9));
    std::timed_mutex timed;
    bool first = timed.try_lock_for(std::chrono::milliseconds(2)), second = true;
    std::thread([&] { second = timed.try_lock_for(std::chrono::milliseconds(3)); }).join();
    timed.unlock();
    return (how == std::cv_status::timeout) * 4 + first * 2 + second;
}

/* What a thread owns dies with it, and the destructor is counted before join returns. */
static uint64_t owned_by_thread(unsigned parameter)
{
    struct Owner {
        std::string text = "owner";
        unsigned *deaths = nullptr;
        ~Owner()
        {
            if (deaths)
                *deaths += 1 + text.size();
        }
    };
    static thread_local Owner owner;
    unsigned deaths = 0;
    std::thread([&deaths, parameter] {
        owner.deaths = &deaths;
        owner.text.append(parameter % 30, 'o');
    }).join();
    return deaths;
}

static uint64_t promised(unsigned parameter)
{
    std::promise<std::string> promise;
    std::future<std::string> future = promise.get_future();
    std::thread keeper([&promise, parameter] {
        if (parameter % 3 == 0)
            promise.set_exception(std::make_exception_ptr(std::out_of_range("too far")));
        else
            promise.set_value(std::string(parameter % 60, 'p'));
    });
    uint64_t value = 0;
    try {
        value = future.get().size();
    } catch (const std::out_of_range &error) {
        value = mixed_bytes(1, error.what(), 7);
    }
    keeper.join();
    return value;
}

static uint64_t computed_elsewhere(unsigned parameter)
{
    auto now = std::async(std::launch::async, [parameter] { return parameter * 3u; });
    auto later = std::async(std::launch::deferred, [parameter] { return parameter + 5u; });
    std::packaged_task<unsigned(unsigned)> task([](unsigned given) -> unsigned {
        if (given % 2)
            throw given;
        return given + 1;
    });
    std::future<unsigned> done = task.get_future();
    task(parameter);
    unsigned value = 0;
    try {
        value = done.get();
    } catch (unsigned thrown) {
        value = thrown * 2;
    }
    return mixed(mixed(now.get(), later.get()), value);
}

static uint64_t thrown_across(unsigned parameter)
{
    std::exception_ptr caught;
    std::thread([&caught, parameter] {
        try {
            std::vector<int>(parameter % 4).at(9);
        } catch (...) {
            caught = std::current_exception();
        }
    }).join();
    try {
        std::rethrow_exception(caught);
    } catch (const std::logic_error &) {
        return 11;
    }
    return 12;
}

static std::once_flag once;
static unsigned attempts;

/* The first call that is let through throws: the next one is as if it had never been. */
static uint64_t called_once(unsigned parameter)
{
    try {
        std::call_once(once, [parameter] {
            if (++attempts == 1)
                throw parameter;
        });
    } catch (unsigned thrown) {
        return 100 + thrown;
    }
    return attempts;
}

static std::shared_mutex shelf_mutex;
static std::vector<std::string> shelf;

static uint64_t shelved(unsigned parameter)
{
    if (parameter % 3 == 0) {
        std::unique_lock<std::shared_mutex> lock(shelf_mutex);
        shelf.emplace_back(parameter % 40, 's');
        return shelf.size();
    }
    std::shared_lock<std::shared_mutex> lock(shelf_mutex);
    uint64_t value = shelf.size();
    for (const std::string &one : shelf)
        value = mixed(value, one.size());
    return value;
}

static uint64_t both_locked(unsigned parameter)
{
    static std::mutex left, right;
    static uint64_t sum;
    std::recursive_mutex again;
    std::scoped_lock lock(again, parameter % 2 ? left : right, parameter % 2 ? right : left);
    std::lock_guard<std::recursive_mutex> twice(again);
    return sum = mixed(sum, parameter);
}

/* Whoever lets go last destroys it. */
static uint64_t shared_by_threads(unsigned parameter)
{
    unsigned deaths = 0;
    auto last = [&deaths](unsigned *number) {
        deaths += *number;
        delete number;
    };
    std::shared_ptr<unsigned> mine(new unsigned(1 + parameter % 7), last);
    std::weak_ptr<unsigned> seen = mine;
    std::atomic<unsigned> sum{0};
    std::thread one([&sum, own = mine] { sum += *own; }), other([&sum, seen] { sum += seen.lock() ? 0 : 0; });
    mine.reset();
    one.join(), other.join();
    return mixed(sum, deaths * 2 + seen.expired());
}

const Activity of_tasks[] = {
    {"added_by_threads", added_by_threads, NOTHING},
    {"queued", queued, NOTHING},
    {"waited_in_vain", waited_in_vain, NOTHING},
    {"owned_by_thread", owned_by_thread, NOTHING},
    {"promised", promised, NOTHING},
    {"computed_elsewhere", computed_elsewhere, NOTHING},
    {"thrown_across", thrown_across, NOTHING},
    {"called_once", called_once, NOTHING},
    {"shelved", shelved, NOTHING},
    {"both_locked", both_locked, NOTHING},
    {"shared_by_threads", shared_by_threads, NOTHING},
    {nullptr, nullptr, NOTHING},
};
