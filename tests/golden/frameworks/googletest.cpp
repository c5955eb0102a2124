#include <gtest/gtest.h>
#include <stdexcept>

static int three()
{
    return 3;
}

TEST(A, Equal)
{
    EXPECT_EQ(three(), 2);
}
TEST(A, EqualToVariable)
{
    int b = 2;
    EXPECT_EQ(three(), b) << "a message";
}
TEST(A, AtMost)
{
    EXPECT_LE(three(), 2u);
}
TEST(A, Text)
{
    EXPECT_STREQ("ab", "ac");
}
TEST(A, Throws)
{
    EXPECT_THROW(three(), std::runtime_error);
}
TEST(A, Uncaught)
{
    throw std::runtime_error("boom");
}
TEST(A, Fails)
{
    FAIL() << "no\nway";
}
TEST(A, Near)
{
    EXPECT_NEAR(1.0, 2.0, 0.5);
}
TEST(A, False)
{
    EXPECT_FALSE(three() > 1);
}
TEST(A, Traced)
{
    SCOPED_TRACE("here");
    ASSERT_TRUE(three() < 1);
}
