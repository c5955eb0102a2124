// One order of the two threads ends in a SIGKILL, as if by an operator or for lack of memory: the execution is cut, not a bug,
// the other order is run, and the verdict is no pass.
// args: kill
// bound none: inconclusive
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int configured, kill_me;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (!configured && kill_me)
        kill(getpid(), SIGKILL);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *configure(void *unused)
{
    pthread_mutex_lock(&mutex);
    configured = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    (void)argv;
    kill_me = argc > 1;
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, configure, NULL);
    pthread_create(&thread[1], NULL, work, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
