// Waiting for a signal by sigsuspend, before there are threads, is waited for as long as the watchdog allows, but 5 s at least, because a program may load slowly; then it is refused by name.
// says: sigsuspend
// options: --watchdog=2
// expect: uncontrolled
#include <signal.h>

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    return sigsuspend(&set) == -1 ? 0 : 1;
}
