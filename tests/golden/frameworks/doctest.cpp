#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
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
TEST_SUITE("s")
{
    TEST_CASE("fails")
    {
        SUBCASE("below")
        {
            FAIL("no way");
        }
    }
}
TEST_CASE("false")
{
    CHECK_FALSE(three() > 1);
}
TEST_CASE("binary")
{
    CHECK_EQ(three(), 2);
}
TEST_CASE("message")
{
    CHECK_MESSAGE(three() < 1, "a message");
}
TEST_CASE("throws")
{
    CHECK_THROWS(three());
}
