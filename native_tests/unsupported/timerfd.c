// A timer behind a descriptor runs beside the threads: refused at the call, by name.
// says: timerfd_create
// expect: uncontrolled
#include <sys/timerfd.h>
#include <time.h>

int main(void)
{
    return timerfd_create(CLOCK_MONOTONIC, 0) >= 0 ? 0 : 1;
}
