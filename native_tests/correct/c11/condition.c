// A C11 condition hands a flag over: the waiter waits, or comes late.
// needs: thrd_create mtx_lock cnd_wait cnd_signal
// bound none: pass, traces 2
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static int ready;

static int wait_until_ready(void *unused)
{
    (void)unused;
    mtx_lock(&mutex);
    while (!ready)
        assert(cnd_wait(&changed, &mutex) == thrd_success);
    mtx_unlock(&mutex);
    return 0;
}

int main(void)
{
    thrd_t thread;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&thread, wait_until_ready, NULL);
    mtx_lock(&mutex);
    ready = 1;
    assert(cnd_signal(&changed) == thrd_success);
    mtx_unlock(&mutex);
    thrd_join(thread, NULL);
    return 0;
}
