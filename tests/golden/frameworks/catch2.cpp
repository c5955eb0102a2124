#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <stdexcept>

static int three()
{
    return 3;
}

TEST_CASE("equal")
{
    INFO("i is 3");
    REQUIRE(three() == 2);
}
TEST_CASE("uncaught")
{
    throw std::runtime_error("boom");
}
TEST_CASE("fails")
{
    FAIL("no way");
}
TEST_CASE("false")
{
    CHECK_FALSE(three() > 1);
}
TEST_CASE("throws")
{
    CHECK_THROWS(three());
}
SCENARIO("sections")
{
    GIVEN("x")
    {
        WHEN("y")
        {
            CHECK(three() == 4);
        }
    }
}
