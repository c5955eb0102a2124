// C11 threads and mutexes: a counter, results of threads, and C11's own codes.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static int counter;

static int count(void *number)
{
    assert(mtx_lock(&mutex) == thrd_success);
    counter++;
    assert(mtx_unlock(&mutex) == thrd_success);
    if (*(int *)number == 1)
        thrd_exit(-7);
    return -3;
}

int main(void)
{
    thrd_t thread[2];
    int number[2] = {0, 1}, result[2];
    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    for (int i = 0; i < 2; i++)
        assert(thrd_create(&thread[i], count, &number[i]) == thrd_success);
    for (int i = 0; i < 2; i++)
        assert(thrd_join(thread[i], &result[i]) == thrd_success);
    assert(counter == 2 && result[0] == -3 && result[1] == -7);
    mtx_destroy(&mutex);
    return 0;
}
