// An alarm that rings while the threads run does so at no defined point: refused where the time comes.
// says: alarm
// expect: uncontrolled
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused)
{
    sleep(2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    alarm(1);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
