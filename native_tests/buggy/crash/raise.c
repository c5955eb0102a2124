// A worker raises SIGTERM, for which nobody has a handler: the process is killed by it.
// says: SIGTERM
// bound preemption:0: crash
#include <pthread.h>
#include <signal.h>

static void *terminate(void *unused)
{
    raise(SIGTERM);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, terminate, NULL);
    pthread_join(thread, NULL);
    return 0;
}
