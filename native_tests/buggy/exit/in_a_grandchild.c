// The test runs two forks below the runner.
// bound preemption:1: exit
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *hit(void *unused)
{
    pthread_mutex_lock(&mutex);
    int seen = hits;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    hits = seen + 1;
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

static int in_a_child(int (*function)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(function());
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

static int further_down(void)
{
    return in_a_child(test);
}

int main(void)
{
    return in_a_child(further_down);
}
