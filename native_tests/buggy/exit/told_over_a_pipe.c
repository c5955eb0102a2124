// The child that has the threads always ends well: whether the test failed, the parent hears over a pipe.
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

int main(void)
{
    int ends[2];
    char answer = '?';
    if (pipe(ends) != 0)
        return 2;
    if (fork() == 0) {
        char result = test() == 0 ? 'y' : 'n';
        _exit(write(ends[1], &result, 1) == 1 ? 0 : 2);
    }
    if (read(ends[0], &answer, 1) != 1)
        return 2;
    wait(NULL);
    return answer == 'y' ? 0 : 1;
}
