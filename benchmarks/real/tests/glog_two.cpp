// glog: two threads log to one sink.
#include <cassert>
#include <glog/logging.h>
#include <thread>

struct Count : google::LogSink {
    int messages = 0;
    void send(google::LogSeverity, const char *, const char *, int, const google::LogMessageTime &, const char *, size_t) override
    {
        messages++;
    }
};

int main()
{
    Count sink;
    std::thread other([&] { LOG_TO_SINK_BUT_NOT_TO_LOGFILE(&sink, INFO) << "one"; });
    LOG_TO_SINK_BUT_NOT_TO_LOGFILE(&sink, INFO) << "two";
    other.join();
    assert(sink.messages == 2);
    return 0;
}
