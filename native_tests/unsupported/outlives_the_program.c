// A process that still runs when the program has ended might yet make threads.
// options: --watchdog=1
// says: still ran
// expect: uncontrolled
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    if (fork() == 0) {
        setsid();
        execlp("sleep", "sleep", "100", (char *)NULL);
    }
    return 0;
}
