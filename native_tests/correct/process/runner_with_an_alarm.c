// A runner of tests forks for each and limits it by an alarm, which is set before there are threads and is gone before it rings.
// says: an alarm that is set does not ring
// expect: pass
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
    int status;
    pid_t child = fork();
    if (child == 0) {
        alarm(1000);
        _exit(test());
    }
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}
