#include "cache.hpp"
#include <gtest/gtest.h>
#include <thread>

TEST(Cache, StartsEmpty)
{
    Cache cache(2);
    EXPECT_EQ(cache.size(), 0u);
}

TEST(Cache, ConcurrentPuts)
{
    Cache cache(1);
    std::thread one([&] { cache.put("a", 1); });
    std::thread two([&] { cache.put("b", 2); });
    one.join();
    two.join();
    EXPECT_LE(cache.size(), 1u);
}
