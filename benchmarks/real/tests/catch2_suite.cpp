// A suite of Catch2: a test with threads.
#define CATCH_CONFIG_MAIN
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

TEST_CASE("both count")
{
    std::atomic<int> count{0};
    std::thread one([&] { count++; }), two([&] { count++; });
    one.join();
    two.join();
    REQUIRE(count == 2);
}
