// pthreadpool: a loop over four items by two threads.
#include <assert.h>
#include <pthreadpool.h>

static int done[4];

static void item(void *context, size_t i)
{
    (void)context;
    done[i]++;
}

int main(void)
{
    pthreadpool_t pool = pthreadpool_create(2);
    pthreadpool_parallelize_1d(pool, item, NULL, 4, 0);
    for (int i = 0; i < 4; i++)
        assert(done[i] == 1);
    pthreadpool_destroy(pool);
    return 0;
}
