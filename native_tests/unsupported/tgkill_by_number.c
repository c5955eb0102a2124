// A signal sent to another thread by a bare number, past pthread_kill.
// says: tgkill
// expect: uncontrolled
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int told;

static void tell(int number)
{
    told = number;
}

static void *send(void *unused)
{
    syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1); /* to main */
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, tell);
    pthread_create(&thread, NULL, send, NULL);
    pthread_join(thread, NULL);
    return 0;
}
