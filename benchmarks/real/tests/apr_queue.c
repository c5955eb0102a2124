// APR-util: a bounded queue of one slot between two threads.
#include <apr_general.h>
#include <apr_queue.h>
#include <apr_thread_proc.h>
#include <assert.h>

static apr_queue_t *queue;
static int numbers[2] = {1, 2};

static void *APR_THREAD_FUNC producer(apr_thread_t *thread, void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++)
        assert(apr_queue_push(queue, &numbers[i]) == APR_SUCCESS);
    apr_thread_exit(thread, APR_SUCCESS);
    return NULL;
}

int main(void)
{
    apr_pool_t *pool;
    apr_thread_t *thread;
    apr_status_t status;
    void *got;
    assert(apr_initialize() == APR_SUCCESS);
    assert(apr_pool_create(&pool, NULL) == APR_SUCCESS);
    assert(apr_queue_create(&queue, 1, pool) == APR_SUCCESS);
    assert(apr_thread_create(&thread, NULL, producer, NULL, pool) == APR_SUCCESS);
    for (int i = 0; i < 2; i++)
        assert(apr_queue_pop(queue, &got) == APR_SUCCESS && *(int *)got == i + 1);
    assert(apr_thread_join(&status, thread) == APR_SUCCESS);
    apr_pool_destroy(pool);
    apr_terminate();
    return 0;
}
