// Signals behind a descriptor come at no defined point: refused at the call, by name.
// says: signalfd
// expect: uncontrolled
#include <signal.h>
#include <sys/signalfd.h>

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    return signalfd(-1, &set, 0) >= 0 ? 0 : 1;
}
