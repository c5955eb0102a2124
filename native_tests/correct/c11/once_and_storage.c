// call_once runs once; thread-specific storage is private and its destructor runs under control.
// bound none: pass
// bound preemption:1: pass
#include <assert.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static mtx_t mutex;
static int destroyed;

static void destroy(void *value)
{
    mtx_lock(&mutex);
    destroyed += *(int *)value;
    mtx_unlock(&mutex);
}

static void prepare(void)
{
    assert(tss_create(&key, destroy) == thrd_success);
}

static int use(void *value)
{
    call_once(&once, prepare);
    assert(tss_get(key) == NULL);
    assert(tss_set(key, value) == thrd_success);
    assert(tss_get(key) == value);
    return 0;
}

int main(void)
{
    thrd_t thread[2];
    int value[2] = {1, 2};
    mtx_init(&mutex, mtx_plain);
    for (int i = 0; i < 2; i++)
        thrd_create(&thread[i], use, &value[i]);
    for (int i = 0; i < 2; i++)
        thrd_join(thread[i], NULL);
    assert(destroyed == 3);
    tss_delete(key);
    return 0;
}
