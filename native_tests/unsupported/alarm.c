// An alarm comes at no defined point: refused at the call, by name.
// says: alarm
// expect: uncontrolled
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused)
{
    alarm(100);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
