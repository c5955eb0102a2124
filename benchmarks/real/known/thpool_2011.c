// C-Thread-Pool, 2011: jobs are added while workers take them.
#include <assert.h>
#include <sched.h>
#include <thpool.h>

static void *job(void *count)
{
    __atomic_add_fetch((int *)count, 1, __ATOMIC_SEQ_CST);
    return count;
}

int main(void)
{
    static int done;
    thpool_t *pool = thpool_init(2);
    for (int i = 0; i < 3; i++)
        assert(thpool_add_work(pool, job, &done) == 0);
    while (__atomic_load_n(&done, __ATOMIC_SEQ_CST) < 3)
        sched_yield();
    return 0;
}
