// The handler of an alarm would run at any point.
// says: alarm
// expect: uncontrolled
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void ring(int number)
{
    (void)number;
}

static void *work(void *unused)
{
    alarm(100);
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGALRM, ring);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
