// An interval timer runs beside the threads: refused at the call, by name.
// says: setitimer
// expect: uncontrolled
#include <pthread.h>
#include <sys/time.h>

static void *work(void *unused)
{
    struct itimerval value = {.it_value = {.tv_sec = 100}};
    setitimer(ITIMER_REAL, &value, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
