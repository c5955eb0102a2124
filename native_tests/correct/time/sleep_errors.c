// Bad intervals are refused with EINVAL, by return value or errno as each function does.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <time.h>

int main(void)
{
    struct timespec too_many = {.tv_nsec = 1000 * 1000 * 1000}, negative = {.tv_sec = -1};
    assert(nanosleep(&too_many, NULL) == -1 && errno == EINVAL);
    errno = 0;
    assert(nanosleep(&negative, NULL) == -1 && errno == EINVAL);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &too_many, NULL) == EINVAL);
    assert(clock_nanosleep(99, 0, &(struct timespec){0}, NULL) == EINVAL);
    return 0;
}
