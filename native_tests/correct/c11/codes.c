// C11's codes: busy, timedout, success; recursive and timed mutexes; sleeping; detached threads.
// bound none: pass
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, recursive;

static struct timespec soon(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    time.tv_nsec += 20 * 1000 * 1000;
    if (time.tv_nsec >= 1000 * 1000 * 1000) {
        time.tv_nsec -= 1000 * 1000 * 1000;
        time.tv_sec++;
    }
    return time;
}

static int check(void *unused)
{
    struct timespec deadline = soon(), moment = {0, 1000}, wrong = {0, -1};
    cnd_t condition;
    assert(mtx_trylock(&plain) == thrd_busy);
    assert(mtx_timedlock(&plain, &deadline) == thrd_timedout);
    assert(mtx_lock(&recursive) == thrd_success && mtx_trylock(&recursive) == thrd_success);
    assert(mtx_unlock(&recursive) == thrd_success);
    assert(cnd_init(&condition) == thrd_success);
    deadline = soon();
    assert(cnd_timedwait(&condition, &recursive, &deadline) == thrd_timedout);
    assert(mtx_unlock(&recursive) == thrd_success);
    cnd_destroy(&condition);
    assert(thrd_sleep(&moment, NULL) == 0);
    assert(thrd_sleep(&wrong, NULL) < -1);
    thrd_yield();
    return unused == NULL;
}

static int nothing(void *unused)
{
    return unused == NULL;
}

int main(void)
{
    thrd_t thread;
    int result;
    assert(mtx_init(&plain, mtx_timed) == thrd_success);
    assert(mtx_init(&recursive, mtx_timed | mtx_recursive) == thrd_success);
    assert(mtx_lock(&plain) == thrd_success);
    assert(thrd_create(&thread, check, NULL) == thrd_success);
    assert(thrd_join(thread, &result) == thrd_success && result == 1);
    assert(mtx_unlock(&plain) == thrd_success);
    assert(thrd_create(&thread, nothing, NULL) == thrd_success && thrd_detach(thread) == thrd_success);
    return 0;
}
