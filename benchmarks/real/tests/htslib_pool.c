// htslib: two jobs for a thread pool, whose results come in order.
#include <assert.h>
#include <htslib/thread_pool.h>
#include <stddef.h>

static int numbers[2] = {1, 2};

static void *job(void *number)
{
    *(int *)number *= 10;
    return number;
}

int main(void)
{
    hts_tpool *pool = hts_tpool_init(2);
    hts_tpool_process *process = hts_tpool_process_init(pool, 4, 0);
    for (int i = 0; i < 2; i++)
        assert(hts_tpool_dispatch(pool, process, job, &numbers[i]) == 0);
    for (int i = 0; i < 2; i++) {
        hts_tpool_result *result = hts_tpool_next_result_wait(process);
        assert(*(int *)hts_tpool_result_data(result) == 10 * (i + 1));
        hts_tpool_delete_result(result, 0);
    }
    hts_tpool_process_destroy(process);
    hts_tpool_destroy(pool);
    return 0;
}
