// A suite of googletest: two tests with threads.
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

TEST(Counter, CountsBoth)
{
    std::mutex lock;
    int count = 0;
    auto add = [&] {
        std::lock_guard held(lock);
        count++;
    };
    std::thread one(add), two(add);
    one.join();
    two.join();
    EXPECT_EQ(count, 2);
}

TEST(Counter, ExpectsInThreads)
{
    std::thread one([] { EXPECT_EQ(1, 1); }), two([] { EXPECT_TRUE(true); });
    one.join();
    two.join();
}
