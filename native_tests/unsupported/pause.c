// Waiting for any signal is waiting for somebody else: refused at the call, by name.
// says: pause
// expect: uncontrolled
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused)
{
    pause();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
