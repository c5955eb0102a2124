// Two producers and one consumer at a GAsyncQueue.
#include <glib.h>

static gpointer producer(gpointer queue)
{
    g_async_queue_push(queue, GINT_TO_POINTER(1));
    g_async_queue_push(queue, GINT_TO_POINTER(2));
    return NULL;
}

int main(void)
{
    GAsyncQueue *queue = g_async_queue_new();
    GThread *one = g_thread_new("one", producer, queue), *two = g_thread_new("two", producer, queue);
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += GPOINTER_TO_INT(g_async_queue_pop(queue));
    g_assert_cmpint(sum, ==, 6);
    g_thread_join(one);
    g_thread_join(two);
    g_async_queue_unref(queue);
    return 0;
}
