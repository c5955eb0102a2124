// APR-util: two tasks for a thread pool that is then destroyed.
#include <apr_atomic.h>
#include <apr_general.h>
#include <apr_thread_pool.h>
#include <assert.h>

static apr_uint32_t done;

static void *APR_THREAD_FUNC task(apr_thread_t *thread, void *unused)
{
    (void)thread;
    apr_atomic_inc32(&done);
    return unused;
}

int main(void)
{
    apr_pool_t *pool;
    apr_thread_pool_t *threads;
    assert(apr_initialize() == APR_SUCCESS);
    assert(apr_pool_create(&pool, NULL) == APR_SUCCESS);
    assert(apr_thread_pool_create(&threads, 1, 2, pool) == APR_SUCCESS);
    for (int i = 0; i < 2; i++)
        assert(apr_thread_pool_push(threads, task, NULL, APR_THREAD_TASK_PRIORITY_NORMAL, NULL) == APR_SUCCESS);
    apr_thread_pool_destroy(threads);
    assert(apr_atomic_read32(&done) <= 2);
    apr_pool_destroy(pool);
    apr_terminate();
    return 0;
}
