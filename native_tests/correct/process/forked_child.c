// A test in a forked child, which gives its parent a status that is right and not zero, while the parent sleeps and asks.
// bound preemption:0: pass, traces 2
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *hit(void *unused)
{
    pthread_mutex_lock(&mutex);
    hits++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static int test(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, hit, NULL);
    pthread_create(&two, NULL, hit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return hits == 2 ? 0 : 1;
}

int main(void)
{
    int status = 0;
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        _exit(test() == 0 && getppid() == parent ? 3 : 4);
    while (waitpid(child, &status, WNOHANG) == 0)
        usleep(1000);
    return WIFEXITED(status) && WEXITSTATUS(status) == 3 ? 0 : 1;
}
