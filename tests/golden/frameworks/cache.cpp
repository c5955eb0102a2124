#include "cache.h"
#include <gtest/gtest.h>
#include <thread>

TEST(Cache, IsEmpty)
{
    store::Cache cache;
    EXPECT_EQ(cache.size(), 0);
}

TEST(Cache, ConcurrentPuts)
{
    store::Cache cache;
    cache.put(0);
    std::thread one([&] { cache.put(1); });
    std::thread two([&] { cache.put(2); });
    one.join();
    two.join();
    EXPECT_LE(cache.size(), 2);
}
