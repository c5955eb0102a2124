// Two jobs for a GThreadPool with two threads; it is freed when they are done.
#include <glib.h>

static gint sum;

static void work(gpointer job, gpointer unused)
{
    (void)unused;
    g_atomic_int_add(&sum, GPOINTER_TO_INT(job));
}

int main(void)
{
    GThreadPool *pool = g_thread_pool_new(work, NULL, 2, TRUE, NULL);
    g_thread_pool_push(pool, GINT_TO_POINTER(1), NULL);
    g_thread_pool_push(pool, GINT_TO_POINTER(2), NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    g_assert_cmpint(g_atomic_int_get(&sum), ==, 3);
    return 0;
}
