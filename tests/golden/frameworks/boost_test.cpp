#define BOOST_TEST_MODULE cache
#include <boost/test/included/unit_test.hpp>

static int three()
{
    return 3;
}

BOOST_AUTO_TEST_SUITE(s)
BOOST_AUTO_TEST_CASE(equal)
{
    BOOST_TEST(three() == 2);
}
BOOST_AUTO_TEST_CASE(required)
{
    BOOST_REQUIRE(three() < 2);
}
BOOST_AUTO_TEST_CASE(uncaught)
{
    throw std::runtime_error("boom");
}
BOOST_AUTO_TEST_CASE(check_equal)
{
    BOOST_CHECK_EQUAL(three(), 2);
}
BOOST_AUTO_TEST_CASE(fails)
{
    BOOST_ERROR("no way");
}
BOOST_AUTO_TEST_CASE(in_context)
{
    BOOST_TEST_CONTEXT("of this")
    {
        BOOST_TEST(three() == 2, "a message");
    }
}
BOOST_AUTO_TEST_SUITE_END()
