#include <glib.h>

static void equal(void)
{
    int total = 3;
    g_assert_cmpint(total, ==, 2);
}

static void plain(void)
{
    int total = 3;
    g_assert(total < 2);
}

int main(int count, char **words)
{
    g_test_init(&count, &words, NULL);
    g_test_add_func("/s/equal", equal);
    g_test_add_func("/s/plain", plain);
    return g_test_run();
}
