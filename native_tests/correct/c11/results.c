// The C11 results: thrd_busy, thrd_timedout, a recursive mutex, call_once, thread-specific storage with its destructor,
// thrd_exit.
// needs: thrd_create mtx_lock cnd_timedwait call_once tss_create
// bound none: pass, traces 1
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t held, recursive, mine;
static cnd_t never;
static once_flag once = ONCE_FLAG_INIT;
static tss_t storage;
static int initialised, destroyed;

static void initialise(void)
{
    initialised++;
}

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static int work(void *argument)
{
    static int two = 2;
    struct timespec past = {0, 1};
    assert(mtx_trylock(&held) == thrd_busy);
    assert(mtx_timedlock(&held, &past) == thrd_timedout);
    assert(mtx_lock(&recursive) == thrd_success && mtx_lock(&recursive) == thrd_success);
    assert(mtx_unlock(&recursive) == thrd_success && mtx_unlock(&recursive) == thrd_success);
    mtx_lock(&mine);
    assert(cnd_timedwait(&never, &mine, &past) == thrd_timedout);
    mtx_unlock(&mine);
    call_once(&once, initialise);
    call_once(&once, initialise);
    assert(tss_get(storage) == NULL);
    assert(tss_set(storage, &two) == thrd_success && tss_get(storage) == &two);
    thrd_yield();
    assert(thrd_sleep(&(struct timespec){.tv_nsec = 1}, NULL) == 0);
    (void)argument;
    thrd_exit(5);
}

int main(void)
{
    thrd_t thread;
    int result;
    mtx_init(&held, mtx_timed);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    mtx_init(&mine, mtx_plain);
    cnd_init(&never);
    assert(tss_create(&storage, destroy) == thrd_success);
    mtx_lock(&held);
    assert(thrd_create(&thread, work, NULL) == thrd_success);
    assert(!thrd_equal(thread, thrd_current()));
    assert(thrd_join(thread, &result) == thrd_success && result == 5);
    mtx_unlock(&held);
    assert(initialised == 1 && destroyed == 2);
    return 0;
}
