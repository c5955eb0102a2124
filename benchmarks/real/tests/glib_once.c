// g_once_init_enter: one thread initialises, both see it.
#include <glib.h>

static gsize initialised;
static int value, times;

static gpointer user(gpointer unused)
{
    if (g_once_init_enter(&initialised)) {
        value = 42;
        times++;
        g_once_init_leave(&initialised, 1);
    }
    g_assert_cmpint(value, ==, 42);
    return unused;
}

int main(void)
{
    GThread *one = g_thread_new("one", user, NULL), *two = g_thread_new("two", user, NULL);
    g_thread_join(one);
    g_thread_join(two);
    g_assert_cmpint(times, ==, 1);
    return 0;
}
