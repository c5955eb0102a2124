// C11 threads and a C11 mutex: the traces of a pthread counter, results from thrd_join.
// needs: thrd_create mtx_lock
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 4
// bound none: pass, traces 6
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static int counter;

static int add_twice(void *result)
{
    for (int i = 0; i < 2; i++) {
        assert(mtx_lock(&mutex) == thrd_success);
        counter++;
        assert(mtx_unlock(&mutex) == thrd_success);
    }
    return *(int *)result;
}

int main(void)
{
    thrd_t thread[2];
    int value[2] = {7, -8}, result;
    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    for (int i = 0; i < 2; i++)
        assert(thrd_create(&thread[i], add_twice, &value[i]) == thrd_success);
    for (int i = 0; i < 2; i++)
        assert(thrd_join(thread[i], &result) == thrd_success && result == value[i]);
    assert(counter == 4);
    mtx_destroy(&mutex);
    return 0;
}
