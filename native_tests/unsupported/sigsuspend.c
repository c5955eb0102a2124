// Waiting for a signal by sigsuspend is refused at the call, by name.
// says: sigsuspend
// expect: uncontrolled
#include <signal.h>

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    return sigsuspend(&set) == -1 ? 0 : 1;
}
