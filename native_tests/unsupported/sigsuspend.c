// A program without threads waits for a signal: nobody is there who could send it, and what comes from outside cannot be explored.
// says: waits for a signal that no thread sends
// expect: uncontrolled
#include <signal.h>

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    return sigsuspend(&set) == -1 ? 0 : 1;
}
