// A POSIX timer runs beside the threads: refused at the call, by name.
// says: timer_settime
// expect: uncontrolled
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <time.h>

static void *work(void *unused)
{
    timer_t timer;
    struct itimerspec later = {.it_value = {100, 0}};
    timer_create(CLOCK_MONOTONIC, NULL, &timer);
    timer_settime(timer, 0, &later, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
