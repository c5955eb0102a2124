// spdlog: two messages to an asynchronous logger, which is then let go.
#include <cassert>
#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <thread>

struct Count : spdlog::sinks::base_sink<std::mutex> {
    int messages = 0;
    void sink_it_(const spdlog::details::log_msg &) override
    {
        messages++;
    }
    void flush_() override
    {
    }
};

int main()
{
    auto sink = std::make_shared<Count>();
    {
        auto pool = std::make_shared<spdlog::details::thread_pool>(8, 1);
        auto logger = std::make_shared<spdlog::async_logger>("it", sink, pool);
        std::thread other([&] { logger->info("one"); });
        logger->info("two");
        other.join();
    }
    assert(sink->messages == 2);
    return 0;
}
