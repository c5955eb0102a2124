// A signal to the parent of the program would end the tool.
// says: kill
// expect: uncontrolled
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *work(void *unused)
{
    kill(getppid(), SIGTERM);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
